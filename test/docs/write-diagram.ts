// `npm run diagram`: draws docs/architecture.svg.
import { writeFileSync } from 'node:fs';
import { DIAGRAM, drawDiagram } from './architecture-diagram.ts';

writeFileSync(DIAGRAM, await drawDiagram());
