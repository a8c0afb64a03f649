// What a role may do, as IAM would decide it: something allows it, nothing denies it. A statement with a condition
// allows nothing here, for nobody evaluates the condition.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
import { type Names, resolve } from './resolve-intrinsics.ts';
import { resourcesOf, type Template } from './template.ts';

export interface Permission {
  /** For instance `dynamodb:GetItem`. */
  readonly action: string;
  readonly resource: string;
}

/** With Refs and attributes resolved. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

/** Tells what the template's roles, each by its ARN, may do. */
export type MayDo = (roleArn: string, permission: Permission) => boolean;

export function readRoles(template: Template, names: Names): MayDo {
  const roles = new Map<string, readonly Statement[]>();
  for (const [id] of resourcesOf(template, 'AWS::IAM::Role'))
    roles.set(names.attribute(id, 'Arn'), resolve(statementsOf(template, id), names));
  return (roleArn, permission) => allows(roles.get(roleArn) ?? [], permission);
}

/** The statements of all policies that are attached to a role. */
function statementsOf(template: Template, roleId: string): unknown[] {
  const attached = resourcesOf(template, 'AWS::IAM::Policy').filter(([, { Properties }]) =>
    (Properties.Roles as { Ref?: string }[]).some(({ Ref }) => Ref === roleId),
  );
  const inline = (template.Resources[roleId]?.Properties.Policies ?? []) as { PolicyDocument: Document }[];
  return [...attached.map(([, { Properties }]) => Properties), ...inline].flatMap(
    ({ PolicyDocument }: { PolicyDocument: Document }) => PolicyDocument.Statement,
  );
}

interface Document {
  readonly Statement: unknown[];
}

export function allows(statements: readonly Statement[], permission: Permission): boolean {
  const matching = statements.filter((statement) => matches(statement, permission));
  if (matching.some(({ Effect }) => Effect === 'Deny')) return false;
  return matching.some(({ Effect, Condition }) => Effect === 'Allow' && Condition === undefined);
}

function matches({ Action, Resource }: Statement, { action, resource }: Permission): boolean {
  return (
    listOf(Action).some((it) => fits(it.toLowerCase(), action.toLowerCase())) &&
    listOf(Resource).some((it) => fits(it, resource))
  );
}

/** `*` stands for any text, `?` for one character. */
function fits(pattern: string, text: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}
