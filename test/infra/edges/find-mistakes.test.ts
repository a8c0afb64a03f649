import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { actionsNamed, findMistakes, isKey } from './find-mistakes.ts';
import { ACCOUNT } from './read-account.ts';
import type { OwnedStatement } from './read-policies.ts';

const TABLE = `arn:aws:dynamodb:eu-west-1:${ACCOUNT}:table/Ledger`;
const SECRET = `arn:aws:secretsmanager:eu-west-1:${ACCOUNT}:secret`;

const reading: OwnedStatement = {
  ...{ says: 'identity', owner: `arn:aws:iam::${ACCOUNT}:role/relay`, name: 'Relay #1' },
  ...{ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: TABLE },
};

test.each<[string, Partial<OwnedStatement>, string]>([
  ['a misspelled action', { Action: 'dynamodb:GetItems' }, 'There is no action dynamodb:GetItems.'],
  ['an action in the wrong case', { Action: 'dynamodb:getItem' }, 'There is no action dynamodb:getItem.'],
  ['an unknown service', { Action: 'dynamo:GetItem' }, 'There is no action dynamo:GetItem.'],
  [
    'an unexpected wildcard',
    { Action: 'dynamodb:GetI*' },
    'dynamodb:GetI* also stands for dynamodb:GetItem.',
  ],
  ['every resource', { Resource: '*' }, 'dynamodb:GetItem is allowed on every resource, but accepts arn:'],
  ['one wrong resource', { Resource: [TABLE, `${TABLE}/index/x`] }, `not ${TABLE}/index/x.`],
  ["another service's resource", { Resource: `${SECRET}:shop` }, `not ${SECRET}:shop.`],
  ['a resource where only * is possible', { Action: 'dynamodb:ListStreams' }, 'accepts only "*", not arn:'],
  [
    'a condition key that requests never have',
    { Action: 'dynamodb:DescribeTable', Condition: { Null: { 'dynamodb:LeadingKeys': 'false' } } },
    'Requests for dynamodb:DescribeTable do not have the condition key dynamodb:LeadingKeys.',
  ],
  [
    'an unknown condition key',
    { Condition: { StringEquals: { 'aws:Sourceaccount ': ACCOUNT } } },
    'do not have the condition key aws:Sourceaccount .',
  ],
])('is reported: %s', async (_, part, mistake) => {
  expect(await findMistakes({ ...reading, ...part })).toEqual([expect.stringContaining(mistake)]);
});

test('the documents name only actions and condition keys that exist', async () => {
  const root = new URL('../../../', import.meta.url);
  const pages = readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' }).filter((it) =>
    it.endsWith('.md'),
  );
  const text = ['SECURITY.md', ...pages.map((it) => `docs/${it}`)]
    .map((it) => readFileSync(new URL(it, root), 'utf8'))
    .join('\n');
  const named = [...new Set([...text.matchAll(/`([a-z0-9-]+:[A-Z]\w+\*?)`/g)].map(([, it = '']) => it))];

  const exist = await Promise.all(
    named.map(async (it) => (await isKey(it)) || (await actionsNamed(it)).length > 0),
  );

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((_, at) => !exist[at])).toEqual([]);
});
