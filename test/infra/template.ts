// A synthesized template.

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template's properties
  readonly Properties: any;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
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
