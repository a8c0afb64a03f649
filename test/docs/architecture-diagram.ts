// docs/architecture.svg, drawn from docs/architecture.dot.
import { readFileSync } from 'node:fs';
import { instance } from '@viz-js/viz';

export const DIAGRAM = new URL('../../docs/architecture.svg', import.meta.url);
const SOURCE = new URL('../../docs/architecture.dot', import.meta.url);

export function diagramSource(): string {
  return readFileSync(SOURCE, 'utf8');
}

export async function drawDiagram(): Promise<string> {
  const viz = await instance();
  return viz.renderString(diagramSource(), { format: 'svg' });
}
