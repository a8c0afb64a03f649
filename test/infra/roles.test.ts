// Which roles may do what: SECURITY.md promises it. The folder `edges` judges what AWS's services need, and
// `npm run ministack` makes the functions' own calls with policies enforced.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { templateOfVariant } from './edges/judge-variant.ts';
import { resourceOf, resourcesOf, statementsOf } from './template.ts';

const all = templateOfVariant('without a key');
const poller = resourceOf(all, 'AWS::Lambda::Function', 'Poller').Properties;
const feed = poller.Environment.Variables.FEED_NAME;

interface Right {
  /** For instance `PollerRole`. */
  readonly role: string;
  readonly effect: string;
  readonly action: string;
  readonly resource: string;
  /** The partition keys of the items. */
  readonly keys: string;
}

const rights: readonly Right[] = resourcesOf(all, 'AWS::IAM::Role')
  .filter(([id]) => /^(Feed|Warehouse)/.test(id))
  .flatMap(([id]) =>
    statementsOf(all, id).flatMap(({ effect, actions, resources, conditions = {} }) => {
      const { Null, 'ForAllValues:StringLike': items = {} } = conditions as Record<string, object>;
      const keys = Null === undefined ? 'all' : Object.values(items).flat().join();
      const role = id.replace(/^Feed(Polling|Publishing|)/, '').replace(/.{8}$/, '');
      return actions.flatMap((action) =>
        resources.map((resource) => ({ role, effect, action, resource, keys })),
      );
    }),
  );

/** Each right as `<role> <action> <resource> keys <keys>`. */
const inWords = rights
  .filter(({ effect }) => effect === 'Allow')
  .map(({ role, action, resource, keys }) => `${role} ${action} ${resource} keys ${keys}`);

function rolesThatMay(what: RegExp): string[] {
  const roles = inWords.filter((it) => what.test(it)).map((it) => it.split(' ')[0] ?? '');
  return [...new Set(roles)].toSorted();
}

const DECLARED = 'DeclaredSourcesRole';
const WMS = 'WebhooksWmsSenderRole';
const INSIDE = 'WebhooksInsideSenderRole';
const TO_PULL = ['RelayToPullRole', 'SweepToPullRole'];
const PUBLISHERS = ['RelayToBusRole', 'RelayToOrderedRole', 'SweepToBusRole', 'SweepToOrderedRole'];
const DISPATCH = ['DispatcherRole', 'PollerRole'];
const SWEEPS = [
  ...['SweepToBusRole', 'SweepToOrderedRole', 'SweepToPullRole'],
  ...['WebhooksInsideSweepRole', 'WebhooksWmsSweepRole'],
];

test.each<[string, RegExp, readonly string[]]>([
  ['publish events', / sns:Publish .*PublishingTopic| events:PutEvents .*PublishingBus/, PUBLISHERS],
  ['read a token of the service', / secretsmanager:\S+ .*(token\/acme|\/tokens\/)/, ['PollerRole']],
  ['read the generated secret of a webhook', / secretsmanager:\S+ .*WebhooksWmsSecret/, [WMS]],
  ['read given secrets of a webhook', / secretsmanager:\S+ .*shop\/(hook|signing|bearer|tenant)/, [INSIDE]],
  ['change snapshots', /:(Put|Update|PartiQL)\w* .*StorageSnapshots/, ['PollerRole']],
  ['change states of sources', /:(Put|Update|PartiQL)\w* .*StorageSources.* keys (all|source)/, DISPATCH],
  ['change any item of sources', /:(Put|Update|PartiQL)\w* .*StorageSources.* keys all$/, []],
  ['change entries of sources', /:(Put|Delete)Item .*StorageSources.* keys .*directory/, [DECLARED]],
  ['note when a reader came', /:PutItem .*StorageSources.* keys reader\/\*$/, ['PullRole']],
  ['give positions', /:(Put|Update)Item .*Marks.* keys pull#\*$/, TO_PULL],
  ['read positions', /:(Batch)?GetItem .*Marks.* keys pull#\*$/, ['DispatcherRole', 'PullRole', ...TO_PULL]],
  ['write events of returns', /:(Put|Update|PartiQL)\w* .*StorageLedger.* keys (?!\*_feed$)/, ['PollerRole']],
  [
    'write events of the feed itself',
    /:PutItem .*StorageLedger.* keys \*_feed$/,
    ['DispatcherRole', INSIDE, ...SWEEPS, WMS],
  ],
  ['write the marks of a webhook', /:(Put|Update)Item .*Marks.* keys Wms#\*$/, [WMS, 'WebhooksWmsSweepRole']],
  ['write any mark', /:(Put|Update)Item .*StorageMarks.* keys all$/, PUBLISHERS],
  ['read the whole ledger', / dynamodb:Scan .*StorageLedger/, SWEEPS],
  ['read all sources', / dynamodb:Scan .*StorageSources/, ['PullRole']],
  ['ring for a webhook', / sqs:SendMessage .*WebhooksWmsQueue/, ['WebhooksWmsSweepRole']],
  ['delete other items, or tables', /:Delete(Item(?!.* keys directory\/\*$)|Table)|BatchWrite/, []],
  [
    'delete messages',
    / sqs:DeleteMessage .*(Polling(Ticks|Shards)|Webhooks\w+Queue)/,
    ['PollerRole', WMS, INSIDE],
  ],
  ['delete other messages', / sqs:DeleteMessage (?!.*(Polling(Ticks|Shards)|Webhooks\w+Queue))/, []],
  ['perform actions with a wildcard', /^\S+ \S*\*/, []],
  [
    'list streams, of any table',
    / dynamodb:ListStreams \* /,
    ['RelayToBusRole', 'RelayToOrderedRole', 'RelayToPullRole'],
  ],
  ['use any other resource', /^(?!\S+ (dynamodb:ListStreams|ec2:\w+|logs:\w+|xray:\w+) )\S+ \S+ \* /, []],
  ['make network interfaces', / ec2:CreateNetworkInterface \* /, [INSIDE]],
  [
    'use the table and the workflow of the sample warehouse',
    / (dynamodb:(?!DescribeStream)\w+ .*WarehouseGoods|states:SendTaskSuccess)/,
    ['WarehouseParcelStateMachineRole', 'WarehouseSubscriberRole'],
  ],
])('only the known roles may %s', (_, what, roles) => {
  expect(rolesThatMay(what)).toEqual(roles.toSorted());
});

test("only the poller may read by the beginning of a name: this feed's tokens", () => {
  const byName = inWords
    .filter((it) => /:(secret:|parameter)\S*\*"? ?/.test(it) && !/-\?{6}/.test(it))
    .map((it) => it.replace(/ \{.*:((secret:|parameter).*\*).*$/, ' $1'));

  expect(byName.toSorted()).toEqual([
    `PollerRole secretsmanager:GetSecretValue secret:${feed}/tokens/*`,
    `PollerRole ssm:GetParameter parameter/${feed}/tokens/*`,
  ]);
});

test('each function has a role of its own, without a managed policy, which AWS could widen', () => {
  const ours = ([id]: readonly [string, unknown]) => /^(Feed|Warehouse)/.test(id);
  const functions = resourcesOf(all, 'AWS::Lambda::Function').filter(ours);
  const roles = resourcesOf(all, 'AWS::IAM::Role').filter(ours);

  const used = functions.map(([, { Properties }]) => Properties.Role['Fn::GetAtt'][0]);
  expect(new Set(used).size).toBe(functions.length);
  expect(roles.filter(([, { Properties }]) => Properties.ManagedPolicyArns !== undefined)).toEqual([]);
});

test('the code of a function in a network can not change network interfaces', () => {
  const of = (wanted: string) =>
    rights
      .filter(({ role, effect, action }) => role === INSIDE && effect === wanted && action.startsWith('ec2:'))
      .map(({ action }) => action);

  expect(of('Allow').length).toBeGreaterThan(3);
  expect(of('Deny')).toEqual(of('Allow'));
});

describe("the account's own key", () => {
  const keyed = templateOfVariant('with a key of the stack');
  const statements = resourcesOf(keyed, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
    Properties.PolicyDocument.Statement.map((it: object) => ({ id, text: JSON.stringify(it) })),
  );

  test('is used with no wildcard, by a role of the feed', () => {
    const uses = statements.filter(({ id, text }) => id.startsWith('Feed') && text.includes('kms:'));

    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter(({ text }) => /kms:[A-Za-z]*\*/.test(text))).toEqual([]);
  });

  test('is used through Secrets Manager only by senders', () => {
    const uses = statements.filter(({ text }) => text.includes('"secretsmanager.'));

    expect(uses.map(({ id }) => id)).toEqual([expect.stringContaining(WMS)]);
  });
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

test.each([...documentedActions()])('SECURITY.md lists exactly the permissions of %s', (role, documented) => {
  const name = ['SchedulesRole', 'PullRole'].includes(role) ? `Feed${role}` : role;
  const may = statementsOf(all, name).flatMap(({ actions }) => actions);

  expect([...documented].toSorted()).toEqual(
    [...new Set(may)].filter((it) => !it.startsWith('logs:')).toSorted(),
  );
});
