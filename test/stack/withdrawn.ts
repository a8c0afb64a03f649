// Copies of a template that each lack one permission of a role: an action of one statement on one of its resources.
import { changed, resourcesOf, type Template } from './template.ts';

export interface Withdrawn {
  /** For instance `WebhooksWmsSender`: a part of the logical ids of the role and of its function. */
  readonly role: string;
  readonly action: string;
  /** As the template writes it. */
  readonly resource: string;
  /** The copy without it. */
  readonly template: Template;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** @param roleTexts what the logical id of a role's policy must contain, one of them */
export function withdrawEach(template: Template, roleTexts: readonly string[]): Withdrawn[] {
  const policies = resourcesOf(template, 'AWS::IAM::Policy').filter(([id]) =>
    roleTexts.some((text) => id.includes(text)),
  );
  return policies.flatMap(([policy, { Properties }]) =>
    (Properties.PolicyDocument.Statement as Statement[]).flatMap((statement, at) =>
      permissionsOf(statement).map(([action, resource]) => ({
        ...{ role: roleOf(policy), action, resource: JSON.stringify(resource) },
        template: changed(template, ({ Resources }) => {
          const { PolicyDocument } = Resources[policy]!.Properties;
          PolicyDocument.Statement.splice(at, 1, ...remainder(statement, action, resource));
        }),
      })),
    ),
  );
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
