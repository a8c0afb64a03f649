import { expect, test } from 'vitest';
import { type Call, judgeCall } from './judge-call.ts';
import { ACCOUNT } from './read-account.ts';
import type { OwnedStatement, Policies } from './read-policies.ts';

const ROLE = `arn:aws:iam::${ACCOUNT}:role/relay`;
const QUEUE = `arn:aws:sqs:eu-west-1:${ACCOUNT}:events`;
const KEY = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1`;
const TOPIC = `arn:aws:sns:eu-west-1:${ACCOUNT}:alarms`;

const sending: Call = { caller: { role: ROLE }, action: 'sqs:SendMessage', resource: QUEUE };
const decrypting: Call = { caller: { role: ROLE }, action: 'kms:Decrypt', resource: KEY };

test("a role may do what its own policy allows, without the resource's policy", () => {
  expect(isAllowed(sending, [own('sqs:SendMessage', QUEUE)])).toBe(true);
  expect(isAllowed(sending, [])).toBe(false);
});

test("a role may use a key only if the key's policy names the role or delegates to the account", () => {
  const root = of(KEY, 'kms:*', { AWS: `arn:aws:iam::${ACCOUNT}:root` });

  expect(isAllowed(decrypting, [own('kms:Decrypt', KEY), root])).toBe(true);
  expect(isAllowed(decrypting, [of(KEY, 'kms:Decrypt', { AWS: ROLE })])).toBe(true);
  expect(isAllowed(decrypting, [own('kms:Decrypt', KEY), of(KEY, 'kms:*', { AWS: '2' })])).toBe(false);
  expect(isAllowed(decrypting, [root])).toBe(false);
});

test("a service may do only what the resource's policy allows", () => {
  const call: Call = { ...sending, caller: { service: 'events.amazonaws.com' } };

  expect(isAllowed(call, [of(QUEUE, 'sqs:SendMessage', { Service: 'events.amazonaws.com' })])).toBe(true);
  expect(isAllowed(call, [of(QUEUE, 'sqs:SendMessage', { Service: 'sns.amazonaws.com' })])).toBe(false);
  expect(isAllowed(call, [of(QUEUE, 'sqs:SendMessage', { AWS: `${ACCOUNT}` })])).toBe(false);
});

test('a denial overrides every permission', () => {
  const denial = { ...of(QUEUE, 'sqs:*', { AWS: '*' }), Effect: 'Deny' } as const;
  const unlessTls = { ...denial, Condition: { Bool: { 'aws:SecureTransport': 'false' } } };

  expect(isAllowed(sending, [own('sqs:SendMessage', QUEUE), denial])).toBe(false);
  expect(isAllowed(sending, [own('sqs:SendMessage', QUEUE), unlessTls])).toBe(true);
});

test('alarms may publish to a topic until it gets its own policy that does not allow it', () => {
  const call: Call = {
    ...{ caller: { service: 'cloudwatch.amazonaws.com' }, action: 'sns:Publish', resource: TOPIC },
    context: { 'AWS:SourceOwner': ACCOUNT },
  };

  expect(isAllowed(call, [])).toBe(true);
  expect(isAllowed(call, [{ ...of(TOPIC, 'sns:Publish', { AWS: '*' }), Effect: 'Deny' }])).toBe(false);
  expect(isAllowed(call, [of(TOPIC, 'sns:Publish', { Service: 's3.amazonaws.com' })])).toBe(false);
});

test('a key with an unknown policy throws', () => {
  expect(() => isAllowed(decrypting, [own('kms:Decrypt', KEY)])).toThrow(
    `The policy of ${KEY} is not known.`,
  );
});

function isAllowed(call: Call, statements: readonly OwnedStatement[]): boolean {
  const resources = new Set(statements.filter(({ says }) => says === 'resource').map(({ owner }) => owner));
  const policies: Policies = { statements, resources };
  return judgeCall(policies, call).isAllowed;
}

function own(Action: string, Resource: string): OwnedStatement {
  return { says: 'identity', owner: ROLE, name: 'own', Effect: 'Allow', Action, Resource };
}

function of(
  owner: string,
  Action: string,
  Principal: Exclude<OwnedStatement['Principal'], undefined>,
): OwnedStatement {
  return { says: 'resource', owner, name: 'policy', Effect: 'Allow', Action, Resource: '*', Principal };
}
