// Finds permissions of roles that runs do not need. A permission is an action of one statement on one of its resources. It
// is needed if a copy of the template without it denies a call of the runs.
import { changed, resourcesOf, type Template } from './template.ts';

export interface NeedOptions {
  readonly template: Template;
  /** Texts in the logical ids of the roles' policies: they select the roles. */
  readonly roleTexts: readonly string[];
  /** Returns the calls of the runs that the policies of a copy of the template deny. */
  readonly deniedBy: (damaged: Template) => readonly string[];
  /** Permissions that no run uses. */
  readonly unused: readonly Unused[];
}

export interface Unused {
  readonly why: string;
  /** Matches `<role>: <action> on <resource>`, with the resource as the template writes it. */
  readonly permission: RegExp;
}

export interface Unneeded {
  /** The number of permissions that were withdrawn. */
  readonly count: number;
  /** Permissions that no run needs and that are not in the list of unused ones. */
  readonly unexplained: readonly string[];
  /** Entries of that list that match no unneeded permission. */
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
  /** The resource as the template writes it. */
  readonly resource: string;
  /** A copy of the template without the permission. */
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

/** Splits a statement so that it allows everything except an action on a resource. */
function remainder(statement: Statement, action: string, resource: unknown): Statement[] {
  const [actions, resources] = [[statement.Action].flat(), [statement.Resource].flat()];
  return [
    { ...statement, Action: actions.filter((it) => it !== action) },
    { ...statement, Action: action, Resource: resources.filter((it) => it !== resource) },
  ];
}
