// The permissions of each role. No role may both read the service's token and publish, because it could then leak the
// token. No role may have wildcards, because SECURITY.md lists exact permissions.
import { readFileSync } from 'node:fs';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, test } from 'vitest';
import { aFeed, aFunction, newStack, resourceOf, resourcesOf, statementsOf } from './synthesize.ts';

const stack = newStack();
const feed = aFeed({}, stack);
feed.feed.addOrderedSubscriber(aFunction(stack));
const secretNamed = (name: string) => secretsmanager.Secret.fromSecretNameV2(stack, name, `shop/${name}`);
feed.feed.addWebhook('Wms', {
  url: secretNamed('hook'),
  authorization: secretNamed('bearer'),
  secretHeaders: { 'x-tenant': secretNamed('tenant') },
});
feed.feed.addWebhook('Erp', { url: 'https://erp.example.com/hook' });
const all = feed.template();
const roles = resourcesOf(all, 'AWS::IAM::Role')
  .map(([id]) => id)
  .filter((id) => id.startsWith('Feed'));

test('each function has its own role', () => {
  const functions = resourcesOf(all, 'AWS::Lambda::Function').filter(([id]) => id.startsWith('Feed'));

  const used = functions.map(([, { Properties }]) => Properties.Role['Fn::GetAtt'][0]);
  expect(functions).toHaveLength(9);
  expect(new Set(used).size).toBe(9);
});

test('no role has wildcard permissions, except to list stream names and read settings of sources', () => {
  const statements = roles.flatMap((role) => statementsOf(all, role));

  expect(statements.length).toBeGreaterThan(20);
  expect(statements.flatMap(({ actions }) => actions).filter((it) => it.includes('*'))).toEqual([]);
  const wide = statements.filter(({ resources }) => resources.some((it) => it === '"*"' || it === '*'));
  expect(new Set(wide.flatMap(({ actions }) => actions))).toEqual(new Set(['dynamodb:ListStreams']));
});

test("only the poller may read by name prefix: this feed's sources and tokens", () => {
  const path = resourceOf(all, 'AWS::Lambda::Function', 'Poller').Properties.Environment.Variables
    .SOURCES_PATH;
  const service = path.split('/')[1];
  const byName = roles.flatMap((role) =>
    statementsOf(all, role).flatMap(({ actions, resources }) =>
      resources
        .filter((it) => /.\*/.test(it.replace(/^"?\*"?$/, '')))
        .map(
          (it) =>
            `${/(\w+Role)/.exec(role)?.[1]} ${actions} ${/((?:secret:|parameter\/).*\*)/.exec(it)?.[1]}`,
        ),
    ),
  );

  expect(byName.toSorted()).toEqual([
    expect.stringMatching(`PollerRole secretsmanager:GetSecretValue secret:${service}/tokens/\\*$`),
    expect.stringMatching(`PollerRole ssm:GetParameter parameter/${service}/sources/\\*$`),
    expect.stringMatching(`PollerRole ssm:GetParameter parameter/${service}/stack-sources/\\*$`),
    expect.stringMatching(`PollerRole ssm:GetParameter parameter/${service}/tokens/\\*$`),
  ]);
});

test('no managed policy is attached: AWS could widen it', () => {
  for (const [, { Properties }] of resourcesOf(all, 'AWS::IAM::Role').filter(([id]) => id.startsWith('Feed')))
    expect(Properties.ManagedPolicyArns).toBeUndefined();
});

test('no role both reads the token and publishes', () => {
  const mayDo = (role: string, action: string, resource: string) =>
    statementsOf(all, role).some(
      ({ actions, resources }) => actions.includes(action) && resources.some((it) => it.includes(resource)),
    );
  const readers = roles.filter((role) => mayDo(role, 'secretsmanager:GetSecretValue', 'token/acme'));
  const publishers = roles.filter(
    (role) => mayDo(role, 'events:PutEvents', '') || mayDo(role, 'sns:Publish', 'PublishingTopic'),
  );

  expect(readers).toEqual([expect.stringContaining('PollerRole')]);
  expect(publishers).toHaveLength(4);
  expect(readers.filter((role) => publishers.includes(role))).toEqual([]);
});

test('only the poller changes snapshots and sources; no role deletes items', () => {
  const writers = roles.filter((role) =>
    statementsOf(all, role).some(
      ({ actions, resources }) =>
        actions.some((it) => /PutItem|UpdateItem|PartiQL/.test(it)) &&
        resources.some((it) => /StorageSnapshots|StorageSources/.test(it)),
    ),
  );
  const actions = roles.flatMap((role) => statementsOf(all, role)).flatMap((it) => it.actions);

  expect(writers).toEqual([expect.stringContaining('PollerRole')]);
  expect(actions.filter((it) => /Delete(Item|Table)|BatchWrite/.test(it))).toEqual([]);
});

test('only the poller writes events of returns: other roles only those of the feed itself', () => {
  const writes = roles.flatMap((role) =>
    statementsOf(all, role)
      .filter(
        ({ actions, resources }) =>
          actions.some((it) => /PutItem|UpdateItem|PartiQL|BatchWrite/.test(it)) &&
          resources.some((it) => it.includes('StorageLedger')),
      )
      .map(({ conditions }) => ({
        role,
        keys: (conditions as Record<string, unknown> | undefined)?.['ForAllValues:StringLike'],
      })),
  );

  const free = writes.filter(({ keys }) => keys === undefined).map(({ role }) => role);
  expect(free).toEqual([expect.stringContaining('PollerRole')]);
  for (const { role, keys } of writes)
    if (!free.includes(role)) expect(keys).toEqual({ 'dynamodb:LeadingKeys': ['*_feed'] });
  expect(writes).toHaveLength(7);
});

test('only the sweeps read the whole ledger', () => {
  const scanners = roles.filter((role) =>
    statementsOf(all, role).some(({ actions }) => actions.includes('dynamodb:Scan')),
  );

  expect(scanners).toEqual([
    expect.stringContaining('SweepToOrderedRole'),
    expect.stringContaining('SweepToBusRole'),
    expect.stringContaining('WebhooksWmsSweepRole'),
    expect.stringContaining('WebhooksErpSweepRole'),
  ]);
});

describe('of the roles of webhooks', () => {
  const readersOf = (secret: string) =>
    roles.filter((role) =>
      statementsOf(all, role).some(
        ({ actions, resources }) =>
          actions.some((it) => it.startsWith('secretsmanager:')) &&
          resources.some((it) => it.includes(secret)),
      ),
    );

  test.each(['WebhooksWmsSecret', 'shop/hook', 'shop/bearer', 'shop/tenant'])(
    'only the sender reads %s',
    (secret) => {
      expect(readersOf(secret)).toEqual([expect.stringContaining('WebhooksWmsSenderRole')]);
    },
  );

  test('none reads a token of the service, or the secret of another webhook', () => {
    expect(readersOf('token/acme')).toEqual([expect.stringContaining('PollerRole')]);
    expect(readersOf('WebhooksErpSecret')).toEqual([expect.stringContaining('WebhooksErpSenderRole')]);
  });

  test.each(['Sender', 'Sweep'])(
    '%s writes only the marks of its webhook, and events of the feed itself',
    (part) => {
      const writes = statementsOf(all, `WebhooksWms${part}Role`).filter(({ actions }) =>
        actions.some((it) => /^dynamodb:.*(Put|Update|Write|Delete)/.test(it)),
      );

      const keysOf = (table: string) =>
        writes
          .filter(({ resources }) => resources.every((it) => it.includes(table)))
          .map(({ conditions }) => conditions);
      const onlyKeys = (keys: string) => ({
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      });
      expect(writes).toHaveLength(2);
      expect(keysOf('StorageMarks')).toEqual([onlyKeys('Wms#*')]);
      expect(keysOf('StorageLedger')).toEqual([onlyKeys('*_feed')]);
    },
  );

  test('none publishes, and only the sweep sends rings', () => {
    const actionsOf = (part: string) =>
      statementsOf(all, `WebhooksWms${part}Role`).filter(({ resources }) =>
        resources.some((it) => !it.includes('FeedDeadLetters')),
      );
    const allowed = ['Sender', 'Sweep'].map((part) => actionsOf(part).flatMap(({ actions }) => actions));

    expect(allowed.flat().filter((it) => /^(sns|events):/.test(it))).toEqual([]);
    expect(allowed.map((actions) => actions.includes('sqs:SendMessage'))).toEqual([false, true]);
  });
});

test("the account's own key may be used through one service at a time", () => {
  const own = newStack();
  const key = new kms.Key(own, 'Key');
  const { template } = aFeed({ encryptionKey: key }, own);

  const policies = resourcesOf(template(), 'AWS::IAM::Policy').flatMap(
    ([, { Properties }]) => Properties.PolicyDocument.Statement,
  );
  const uses = policies.filter(({ Action }) => JSON.stringify(Action).includes('kms:'));
  expect(uses.length).toBeGreaterThan(5);
  expect(JSON.stringify(uses)).not.toMatch(/kms:[A-Za-z]*\*/);
});

/** The permissions of each role according to SECURITY.md's table. */
function documentedActions(): Map<string, Set<string>> {
  const documented = new Map<string, Set<string>>();
  let role = '';
  const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  const [, roles = ''] = /^## Who may do what$(.*?)^###/ms.exec(page) ?? [];
  for (const [, name = '', actions = ''] of roles.matchAll(/^\| (?:`(\w+Role)`)? ?\| (.*?) \|/gm)) {
    role = name || role;
    if (role === '') continue;
    const listed = [...actions.matchAll(/`(\w+:\w+)`/g)].map(([, action = '']) => action);
    const like = /as `(\w+)`/.exec(actions)?.[1];
    const instead = /instead of `(\w+:\w+)`/.exec(actions)?.[1];
    const before = documented.get(like ?? role) ?? [];
    documented.set(role, new Set([...before, ...listed].filter((it) => it !== instead)));
  }
  return documented;
}

test.each([
  'PollerRole',
  'RelayToOrderedRole',
  'RelayToBusRole',
  'SweepToOrderedRole',
  'SweepToBusRole',
  'PollingSchedulesRole',
  'PublishingSchedulesRole',
  'WebhooksWmsSenderRole',
  'WebhooksWmsSweepRole',
])('SECURITY.md lists exactly the permissions of %s', (role) => {
  const may = statementsOf(all, role).flatMap(({ actions }) => actions);

  const documented = [...(documentedActions().get(role) ?? [])];
  expect(documented.toSorted()).toEqual([...new Set(may)].filter((it) => !it.startsWith('logs:')).toSorted());
});
