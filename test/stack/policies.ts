// Decides like IAM: a call is allowed if a statement allows it and none denies it. A condition on a key that the call does
// not have is not met.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
import { type Conditions, type Context, conditionsHold, fits } from './conditions.ts';
import { type Names, resolve } from './resolve-intrinsics.ts';
import { resourcesOf, type Template } from './template.ts';

export interface Permission {
  /** For instance `dynamodb:GetItem`. */
  readonly action: string;
  readonly resource: string;
  /** The condition keys of the call. */
  readonly context?: Context;
}

/** A statement with Refs and attributes resolved. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  /** Absent in a role's trust policy: its resource is the role. */
  readonly Resource?: string | readonly string[];
  readonly Condition?: Conditions;
}

/** Returns whether one of the template's roles has a permission. */
export type MayDo = (roleArn: string, permission: Permission) => boolean;

export function readRoles(template: Template, names: Names): MayDo {
  const roles = new Map<string, readonly Statement[]>();
  for (const [id] of resourcesOf(template, 'AWS::IAM::Role'))
    roles.set(names.attribute(id, 'Arn'), resolve(statementsOf(template, id), names));
  return (roleArn, permission) => allows(roles.get(roleArn) ?? [], permission);
}

/** Returns whether a queue's policy gives a service a permission. A queue without a policy gives none. */
export type ServiceMayDo = (service: string, permission: Permission) => boolean;

export function readQueuePolicies(template: Template, names: Names): ServiceMayDo {
  const statements = resourcesOf(template, 'AWS::SQS::QueuePolicy').flatMap(
    ([, { Properties }]): ResourceStatement[] => resolve(Properties.PolicyDocument.Statement, names),
  );
  return (service, permission) =>
    allows(
      statements.filter(({ Principal }) => isAbout(Principal, service)),
      permission,
    );
}

interface ResourceStatement extends Statement {
  readonly Principal: '*' | { readonly AWS?: string; readonly Service?: string };
}

function isAbout(principal: ResourceStatement['Principal'], service: string): boolean {
  return principal === '*' || principal.AWS === '*' || principal.Service === service;
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
  return (
    matching.some(({ Effect }) => Effect === 'Allow') && !matching.some(({ Effect }) => Effect === 'Deny')
  );
}

/** Returns whether a statement, of either effect, applies to a call. */
export function matches(
  { Action, Resource, Condition }: Statement,
  { action, resource, context }: Permission,
): boolean {
  return (
    listOf(Action).some((it) => fits(it.toLowerCase(), action.toLowerCase())) &&
    (Resource === undefined || listOf(Resource).some((it) => fits(it, resource))) &&
    conditionsHold(Condition, context)
  );
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}
