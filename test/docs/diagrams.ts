// The diagrams of the documents, each docs/NAME.svg drawn from docs/NAME.dot.
import { readFileSync } from 'node:fs';
import { instance } from '@viz-js/viz';

export const DIAGRAMS = ['architecture', 'flow'] as const;

export function diagramFile(name: string): URL {
  return new URL(`../../docs/${name}.svg`, import.meta.url);
}

export function diagramSource(name: string): string {
  return readFileSync(new URL(`../../docs/${name}.dot`, import.meta.url), 'utf8');
}

export async function drawDiagram(name: string): Promise<string> {
  const viz = await instance();
  return viz.renderString(diagramSource(name), { format: 'svg' });
}
