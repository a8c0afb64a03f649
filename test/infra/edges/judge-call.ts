// Decides like AWS whether a call between services of one account is allowed: no statement denies it, and the caller's or
// the resource's policies allow it. A service has no policies of its own. A key's own policy must always allow the call.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
// https://docs.aws.amazon.com/kms/latest/developerguide/key-policies.html
import { matches, type Permission } from './policies.ts';
import { ACCOUNT } from './read-account.ts';
import { defaultTopicPolicy, type OwnedStatement, type Policies } from './read-policies.ts';

/** A service that acts for a resource, or a role that a service assumed. */
export type Caller = { readonly service: string } | { readonly role: string };

export interface Call extends Permission {
  readonly caller: Caller;
}

export interface Verdict {
  readonly isAllowed: boolean;
  /** The statements that allow the call, or the statement that denies it. */
  readonly statements: readonly OwnedStatement[];
}

export function judgeCall({ statements, resources }: Policies, call: Call): Verdict {
  const { caller, action, resource } = call;
  const owned = (says: OwnedStatement['says'], owner: string) =>
    statements.filter((it) => it.says === says && it.owner === owner);
  const onResource =
    action === 'sts:AssumeRole' ? owned('trust', resource) : ownedBy(owned, resources, resource);
  const permission = { ...call, context: { 'aws:SecureTransport': 'true', ...call.context } };
  // A service is not a principal of the account.
  const [named, delegated] = [namedBy(caller), 'role' in caller ? isAccount : () => false].map((isMeant) =>
    onResource.filter((it) => principalsOf(it).some(isMeant) && matches(it, permission)),
  ) as [OwnedStatement[], OwnedStatement[]];
  const own = 'role' in caller ? owned('identity', caller.role).filter((it) => matches(it, permission)) : [];
  const denying = [...named, ...delegated, ...own].filter(({ Effect }) => Effect === 'Deny');
  if (denying.length > 0) return { isAllowed: false, statements: denying };
  if (named.length > 0) return { isAllowed: true, statements: named };
  // A key's policy must delegate to the account's policies. Other resources delegate by default.
  const isLeftToAccount = !action.startsWith('kms:') || delegated.length > 0;
  if (own.length === 0 || !isLeftToAccount) return { isAllowed: false, statements: [] };
  return { isAllowed: true, statements: action.startsWith('kms:') ? [...delegated, ...own] : own };
}

function ownedBy(
  owned: (says: OwnedStatement['says'], owner: string) => OwnedStatement[],
  resources: ReadonlySet<string>,
  resource: string,
): readonly OwnedStatement[] {
  if (resource.startsWith('arn:aws:kms:') && !resources.has(resource))
    throw new Error(`The policy of ${resource} is not known.`);
  if (resource.startsWith('arn:aws:sns:') && !resources.has(resource)) return [defaultTopicPolicy(resource)];
  return owned('resource', resource);
}

function namedBy(caller: Caller): (principal: string) => boolean {
  const names = 'service' in caller ? [`Service ${caller.service}`] : [`AWS ${caller.role}`];
  return (principal) => ['AWS *', '*', ...names].includes(principal);
}

function isAccount(principal: string): boolean {
  return principal === `AWS arn:aws:iam::${ACCOUNT}:root` || principal === `AWS ${ACCOUNT}`;
}

/** The principals, each with its kind, for instance `Service lambda.amazonaws.com`. */
function principalsOf({ Principal = {} }: OwnedStatement): string[] {
  if (Principal === '*') return ['*'];
  return Object.entries(Principal).flatMap(([kind, names]) =>
    (typeof names === 'string' ? [names] : names).map((name) => `${kind} ${name}`),
  );
}
