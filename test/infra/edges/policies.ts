// Decides like IAM: a call is allowed if a statement allows it and none denies it. A condition on a key that the call does
// not have is not met.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

import { type Conditions, type Context, conditionsHold, fits } from './conditions.ts';

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
