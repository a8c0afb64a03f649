// A synthesized template.
import type { Stack } from 'aws-cdk-lib';
import { Template as Assertions } from 'aws-cdk-lib/assertions';

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template's properties
  readonly Properties: any;
  readonly Metadata?: { readonly 'aws:cdk:path'?: string };
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

export function templateOf(stack: Stack): Template {
  return Assertions.fromStack(stack).toJSON() as Template;
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

/** The one resource of a type whose logical id contains a text. */
export function resourceOf(template: Template, type: string, text: string): Resource {
  return template.Resources[idOf(template, type, text)]!;
}

export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: unknown;
}

/** The permissions of the roles with a text in their logical ids; resources as JSON. */
export function statementsOf(template: Template, roleIdHolds: string): Statement[] {
  return resourcesOf(template, 'AWS::IAM::Policy').flatMap(([, { Properties }]) =>
    (Properties.Roles as { Ref?: string }[]).some(({ Ref }) => Ref?.includes(roleIdHolds))
      ? Properties.PolicyDocument.Statement.map(readStatement)
      : [],
  );
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function readStatement({ Effect, Action, Resource, Condition }: any): Statement {
  const list = (value: unknown) => (Array.isArray(value) ? value : [value]);
  return {
    effect: Effect,
    actions: list(Action),
    resources: list(Resource).map((it) => (typeof it === 'string' ? it : JSON.stringify(it))),
    ...(Condition && { conditions: Condition }),
  };
}
