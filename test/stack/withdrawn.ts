// Whether runs need each permission of roles: an action of one statement on one of its resources. It does if the runs
// would be refused with a copy of the template that lacks only this permission.
import { changed, resourcesOf, type Template } from './template.ts';

export interface NeedOptions {
  readonly template: Template;
  /** Of the roles: one of them is in the logical id of the role's policy. */
  readonly roleTexts: readonly string[];
  /** What the runs would have been refused with a copy of the template. */
  readonly deniedBy: (damaged: Template) => readonly string[];
  /** Permissions that no run uses. */
  readonly unused: readonly Unused[];
}

export interface Unused {
  readonly why: string;
  /** Matches `<role>: <action> on <resource>`, the resource as the template writes it. */
  readonly permission: RegExp;
}

export interface Unneeded {
  /** The number of permissions that were withdrawn. */
  readonly count: number;
  /** Permissions that no run needs and that are not in the list of unused ones. */
  readonly unexplained: readonly string[];
  /** Entries of that list that are about no unneeded permission. */
  readonly outdated: readonly Unused[];
}

export function findUnneeded({ template, roleTexts, deniedBy, unused }: NeedOptions): Unneeded {
  const withdrawn = withdrawEach(template, roleTexts);
  const unneeded = withdrawn.flatMap(({ role, action, resource, damaged }) =>
    isMissed(role, action, deniedBy(damaged)) ? [] : [`${role}: ${action} on ${resource}`],
  );
  return {
    count: withdrawn.length,
    unexplained: unneeded.filter((it) => !unused.some(({ permission }) => permission.test(it))),
    outdated: unused.filter(({ permission }) => !unneeded.some((it) => permission.test(it))),
  };
}

interface Withdrawn {
  /** For instance `WebhooksWmsSender`: a part of the logical ids of the role and of its function. */
  readonly role: string;
  readonly action: string;
  /** As the template writes it. */
  readonly resource: string;
  /** The copy without it. */
  readonly damaged: Template;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

function withdrawEach(template: Template, roleTexts: readonly string[]): Withdrawn[] {
  const policies = resourcesOf(template, 'AWS::IAM::Policy').filter(([id]) =>
    roleTexts.some((text) => id.includes(text)),
  );
  return policies.flatMap(([policy, { Properties }]) =>
    (Properties.PolicyDocument.Statement as Statement[]).flatMap((statement, at) =>
      permissionsOf(statement).map(([action, resource]) => ({
        ...{ role: roleOf(policy), action, resource: JSON.stringify(resource) },
        damaged: changed(template, ({ Resources }) => {
          const { PolicyDocument } = Resources[policy]!.Properties;
          PolicyDocument.Statement.splice(at, 1, ...remainder(statement, action, resource));
        }),
      })),
    ),
  );
}

function isMissed(role: string, action: string, denied: readonly string[]): boolean {
  return denied.some((it) => it.includes(role) && it.includes(` is not allowed ${action} on `));
}

function roleOf(policy: string): string {
  return /^Feed(\w+?)Role/.exec(policy)?.[1] ?? policy;
}

function permissionsOf({ Effect, Action, Resource }: Statement): [action: string, resource: unknown][] {
  if (Effect !== 'Allow') return [];
  return [Action].flat().flatMap((action) => [Resource].flat().map((it): [string, unknown] => [action, it]));
}

/** All that a statement allows but for an action on a resource. */
function remainder(statement: Statement, action: string, resource: unknown): Statement[] {
  const [actions, resources] = [[statement.Action].flat(), [statement.Resource].flat()];
  return [
    { ...statement, Action: actions.filter((it) => it !== action) },
    { ...statement, Action: action, Resource: resources.filter((it) => it !== resource) },
  ];
}
