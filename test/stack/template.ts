// A synthesized template, with the parts that the stack tests need.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template's properties
  readonly Properties: any;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** The mutable resources of a copy. */
export type Resources = Record<string, Resource>;

/** The output of `cdk synth` for a stack. */
export interface Assembly {
  readonly template: Template;
  /** The folder with a function's code. @param key the template's `S3Key` */
  codeOf(key: string): string;
}

export function readAssembly(directory: string, stackName: string): Assembly {
  const read = (file: string) => JSON.parse(readFileSync(join(directory, `${stackName}.${file}`), 'utf8'));
  const { files } = read('assets.json') as { files: Record<string, FileAsset> };
  return {
    template: read('template.json'),
    codeOf(key) {
      const asset = Object.values(files).find(({ destinations }) =>
        Object.values(destinations).some(({ objectKey }) => objectKey === key),
      );
      if (asset === undefined) throw new Error(`There is no asset ${key}.`);
      return join(directory, asset.source.path);
    },
  };
}

interface FileAsset {
  readonly source: { readonly path: string };
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
}

/** The resources of a type, by their logical ids. */
export function resourcesOf({ Resources }: Template, type: string): [string, Resource][] {
  return Object.entries(Resources).filter(([, { Type }]) => Type === type);
}

/** The logical id of the one resource of a type whose logical id contains a text. */
export function idOf(template: Template, type: string, text: string): string {
  const ids = resourcesOf(template, type).flatMap(([id]) => (id.includes(text) ? [id] : []));
  if (ids.length !== 1) throw new Error(`${ids.length} resources ${type} have ${text} in their ids.`);
  return ids[0]!;
}

/** Returns a changed copy. @throws Error if the change has no effect */
export function changed(
  template: Template,
  change: (copy: { readonly Resources: Resources }) => void,
): Template {
  const copy = structuredClone(template) as { readonly Resources: Resources };
  change(copy);
  if (JSON.stringify(copy) === JSON.stringify(template)) throw new Error('The change changed nothing.');
  return copy;
}
