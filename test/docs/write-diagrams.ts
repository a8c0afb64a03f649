// `npm run diagrams`: draws docs/architecture.svg and docs/flow.svg.
import { writeFileSync } from 'node:fs';
import { DIAGRAMS, diagramFile, drawDiagram } from './diagrams.ts';

for (const name of DIAGRAMS) writeFileSync(diagramFile(name), await drawDiagram(name));
