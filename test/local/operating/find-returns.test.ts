// A search beside a running feed, on one machine: the reference service answers over HTTP.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createDynamoDbBudgets } from '../../../functions/adapters/dynamodb-budgets.ts';
import { hashToken } from '../../../functions/adapters/token-hash.ts';
import { type LocalFeed, startLocalFeed } from '../../../local/feed/local-feed.ts';
import { LOCAL_TABLES } from '../../../local/feed/local-tables.ts';
import { askService } from '../../../local/operating/ask-service.ts';
import { findEntity } from '../../../local/operating/find-entity.ts';
import {
  type Found,
  findReturns,
  type SearchOptions,
  type SearchProblem,
} from '../../../local/operating/find-returns.ts';
import { nameReturn } from '../../../local/operating/name-return.ts';
import { withFeed } from '../../../local/operating/open-feed.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { runFeed } from '../cli/run-feed.ts';

const TOKEN = 'the-token-of-the-store';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
/** An allowed order name with characters that are special in a URL, a query, HTML or a terminal. */
const HOSTILE = '#10 42&order_id=1?%23+"\'<b>\u001b[2J\u202eé\u{1F600}';

let service: ReferenceService;
let feed: LocalFeed;
let data: string;

beforeAll(async () => {
  service = await createReferenceService({ groups: 60, token: TOKEN, life: false });
  data = await mkdtemp(join(tmpdir(), 'find-'));
  feed = await startLocalFeed({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: service.url,
      baseline: 'emit',
      requestsPerMinute: 2_000,
    }),
    token: TOKEN,
    dataDir: data,
    log: QUIET,
    onProgress() {},
    onEvent: async () => {},
  });
  await feed.tick();
});
afterAll(async () => {
  await feed.close();
  await service.close();
  await rm(data, { recursive: true });
});
beforeEach(() => {
  service.control.setKnob('limitMax', 250);
  service.control.setKnob('strings', 'exact');
});

async function find(
  text: string,
  options: SearchOptions = {},
): Promise<{ found: Found[]; problems: SearchProblem[] }> {
  const problems: SearchProblem[] = [];
  const onProblem = (problem: SearchProblem) => problems.push(problem);
  const environment = { RETURNS_API_TOKEN: TOKEN };
  const found = await withFeed({ data }, (open) =>
    findReturns({ ...open, log: QUIET }, text, { environment, onProblem, ...options }),
  );
  return { found, problems };
}

const ask = (group: number) =>
  withFeed({ data }, (open) =>
    askService({ ...open, log: QUIET }, 'acme', group, { environment: { RETURNS_API_TOKEN: TOKEN } }),
  );

function aParcel() {
  const group = service.control.snapshot().find(({ shipments }) => shipments[0]?.tracking_number != null);
  return { group: Number(group?.id), shipment: group?.shipments[0] };
}

/** Requests since the start. */
const sent = () => service.control.requests().length;

test('a tracking number finds its return, with a few requests', async () => {
  const { group, shipment } = aParcel();
  const before = sent();

  const { found, problems } = await find(String(shipment?.tracking_number), { as: ['tracking_number'] });

  expect(found).toEqual([
    { source: 'acme', returnGroupId: group, matched: 'tracking_number', isExact: true },
  ]);
  expect(problems).toEqual([]);
  expect(sent() - before).toBeLessThanOrEqual(3);
});

test('an order name finds its return, also with special characters', async () => {
  const { group } = aParcel();
  service.control.mutate(group, (draft) => {
    draft.order.name = HOSTILE;
  });

  const { found } = await find(HOSTILE, { as: ['order_name'] });

  expect(found).toEqual([{ source: 'acme', returnGroupId: group, matched: 'order_name', isExact: true }]);
});

test('all pages of a clamped list are read, and the exact name comes first', async () => {
  const groups = service.control.snapshot().slice(5, 40);
  for (const [index, { id }] of groups.entries())
    service.control.mutate(Number(id), (draft) => {
      draft.order.name = index === 30 ? '#77' : `#77-${index}`;
    });
  service.control.setKnob('strings', 'partial');
  service.control.setKnob('limitMax', 10);

  const { found, problems } = await find('#77', { as: ['order_name'] });

  expect(found.map(({ returnGroupId }) => returnGroupId).sort()).toEqual(groups.map(({ id }) => id).sort());
  expect(found[0]).toMatchObject({ returnGroupId: groups[30]?.id, isExact: true });
  expect(found.filter(({ isExact }) => isExact)).toHaveLength(1);
  expect(problems).toEqual([]);
});

test('an unknown order name finds nothing, with one request', async () => {
  const before = sent();

  const { found } = await find('no such order', { as: ['order_name'] });

  expect(found).toEqual([]);
  expect(sent() - before).toBe(1);
});

test('ids of groups, entities and events come from the tables, without a request', async () => {
  const { group, shipment } = aParcel();
  const { generation } = await withFeed({ data }, (open) => open.stateOf('acme'));
  const before = sent();
  const ids = { as: ['return_group_id', 'entity_id', 'event_id'], environment: {} } as const;

  const byGroup = await find(String(group), ids);
  const byEntity = await find(String(shipment?.id), ids);
  const byKey = await find(`shipment/${shipment?.id}`, ids);
  const byEvent = await find(`acme_${generation}_${group}_2`, ids);

  expect(byGroup.found).toMatchObject([{ returnGroupId: group, matched: 'return_group_id' }]);
  const entity = { returnGroupId: group, matched: 'entity_id', entity: `shipment/${shipment?.id}` };
  expect(byEntity.found).toMatchObject([entity]);
  expect(byKey.found).toMatchObject([entity]);
  expect(byEvent.found).toMatchObject([
    { returnGroupId: group, matched: 'event_id', event: { generation, sequence: 2 } },
  ]);
  expect(sent()).toBe(before);
});

test('the search for an entity is bounded, and reports the bound', async () => {
  const newest = service.control.create().groupId;
  await feed.tick();
  const known = service.control.snapshot();
  const idOf = (group: number) => Number(known.find(({ id }) => id === group)?.returns[0]?.id);
  const oldest = Number(known[0]?.id);

  const [near, far] = await withFeed({ data }, async (open) => {
    const state = await open.stateOf('acme');
    return Promise.all([newest, oldest].map((group) => findEntity(open, state, String(idOf(group)), 3)));
  });

  expect(near?.found).toMatchObject([{ returnGroupId: newest }]);
  expect(far).toMatchObject({ found: [], isWhole: false, groups: 6 });
});

test('an unknown id finds nothing', async () => {
  const { found, problems } = await find('acme_abc_1_1', {
    as: ['return_group_id', 'entity_id', 'event_id'],
  });

  expect({ found, problems }).toEqual({ found: [], problems: [] });
});

test('without a token ids are still found, and the error names the variable', async () => {
  const { group } = aParcel();

  const { found, problems } = await find(String(group), { environment: {} });

  expect(found).toMatchObject([{ returnGroupId: group, matched: 'return_group_id' }]);
  // The two searches run in parallel, and may end in either order.
  expect(problems.toSorted((one, other) => one.searched.localeCompare(other.searched))).toEqual(
    ['order_name', 'tracking_number'].map((searched) => ({
      source: 'acme',
      searched,
      message: expect.stringContaining('RETURNS_API_TOKEN'),
    })),
  );
});

test('another token than that of the polls finds nothing: it may belong to another store', async () => {
  const other = await createReferenceService({ groups: 5, token: 'another', life: false });
  const environment = { RETURNS_API_TOKEN: 'another' };

  const { found, problems } = await find('#1', { as: ['order_name'], environment, baseUrl: other.url });
  await other.close();

  expect(found).toEqual([]);
  expect(problems).toMatchObject([{ message: expect.stringContaining('may be of another store') }]);
});

test('a failed search is repeated', async () => {
  const { group, shipment } = aParcel();
  service.control.failNext('503-json', 2);
  const before = sent();

  const { found } = await find(String(shipment?.tracking_number), { as: ['tracking_number'] });

  expect(found).toMatchObject([{ returnGroupId: group }]);
  expect(sent() - before).toBeGreaterThan(2);
});

test('the present answer equals the feed’s state until the group changes', async () => {
  const { group, shipment } = aParcel();
  const before = await ask(group);
  service.control.mutate(group, (draft) => {
    const [first] = draft.shipments;
    if (first) first.status = first.status === 'FAILED' ? 'CANCELED' : 'FAILED';
  });

  const changed = await ask(group);
  await feed.tick();
  const after = await ask(group);

  expect(before).toMatchObject({ answer: { kind: 'shown' }, agrees: true, differences: [] });
  expect(changed.differences).toContainEqual({
    entity: `shipment/${shipment?.id}`,
    kind: 'changed',
    fields: [{ field: 'status', inFeed: shipment?.status, atService: expect.any(String) }],
  });
  expect(after).toMatchObject({ agrees: true, differences: [] });
});

test('the present answer has only fields of the allowlist', async () => {
  const { group } = aParcel();

  const asked = await ask(group);

  const { customer } = service.control.snapshot().find(({ id }) => id === group) as unknown as {
    readonly customer: { readonly email: string };
  };
  expect(JSON.stringify(asked)).not.toContain(customer.email);
  expect(JSON.stringify(asked)).not.toContain('customer');
});

test('a group is absent if the service does not have it', async () => {
  const asked = await ask(999_999_999);

  expect(asked).toMatchObject({ answer: { kind: 'absent' }, agrees: true });
});

test('explain finds a return by its tracking number, its order name or an event, as a person types it', async () => {
  const { group, shipment } = aParcel();
  service.control.mutate(group, (draft) => {
    draft.order.name = HOSTILE;
  });
  const { generation } = await withFeed({ data }, (open) => open.stateOf('acme'));

  const byTracking = await runFeed(
    ['explain', '--tracking', String(shipment?.tracking_number), '--data', data],
    { token: TOKEN },
  );
  const byEvent = await runFeed(['explain', `acme_${generation}_${group}_1`, '--data', data]);
  const without = await runFeed(['explain', '--order', '#1042', '--data', data]);

  expect(byTracking).toMatchObject({ code: 0, stderr: '' });
  expect(byTracking.stdout).toMatch(new RegExp(`^return group ${group} of source acme`));
  expect(byEvent).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`group ${group} of`),
  });
  expect(without).toMatchObject({ code: 1, stdout: '' });
  expect(without.stderr).toMatch(/^error: [^\n]+RETURNS_API_TOKEN[^\n]+\n$/);
});

const name = (...words: string[]) =>
  withFeed({ data }, (open) => nameReturn({ ...open, log: QUIET }, { words }));

test('explain rejects a text of several returns: the error lists them with the command for one', async () => {
  const [one, other] = service.control.snapshot().slice(50, 52);
  for (const group of [one, other])
    service.control.mutate(Number(group?.id), (draft) => {
      draft.order.name = '#5001';
    });
  vi.stubEnv('RETURNS_API_TOKEN', TOKEN);

  const naming = name('acme', '#5001');

  await expect(naming).rejects.toThrow(
    new RegExp(`^2 returns have "#5001": .*${one?.id}.*${other?.id}|${other?.id}.*${one?.id}`),
  );
  await expect(naming).rejects.toThrow(` --data ${data}`);
  vi.unstubAllEnvs();
});

test('explain rejects an unknown text: the error names the places of the search, and what to try', async () => {
  vi.stubEnv('RETURNS_API_TOKEN', TOKEN);

  const naming = name('acme', '#none');

  await expect(naming).rejects.toThrow(
    'No return with the text "#none" was found in source acme. Write it as',
  );
  vi.unstubAllEnvs();
});

test.each([
  [['acme'], '"acme" is a source. Name the source and the id'],
  [[], 'Name the source and the id of a return group'],
  [['acme_abc_feed_1'], 'is an event of the feed itself'],
  [['other', '#1'], 'There is no state of a source "other"'],
  [[' '], 'The text to search for is empty'],
])('words that name no return are rejected: %j', async (words, message) => {
  await expect(name(...words)).rejects.toThrow(message);
});

test('a 429 makes the search wait, and a used-up budget ends it without a request', async () => {
  const { group, shipment } = aParcel();
  const text = String(shipment?.tracking_number);
  service.control.failNext('429-retry-after');
  const waited = await find(text, { as: ['tracking_number'] });
  await withFeed({ data }, async ({ client, clock }) => {
    const budgets = createDynamoDbBudgets({ client, tables: LOCAL_TABLES, clock });
    const { version } = await budgets.load(hashToken(TOKEN));
    const pausedUntil = clock.now() + MINUTE;
    await budgets.save(hashToken(TOKEN), { ...UNUSED_BUDGET, pausedUntil }, version);
  });
  const before = sent();

  const refused = await find(text, { as: ['tracking_number'] });

  expect(waited.found).toMatchObject([{ returnGroupId: group }]);
  expect(refused.found).toEqual([]);
  expect(refused.problems).toMatchObject([{ message: expect.stringContaining('budget') }]);
  expect(sent()).toBe(before);
});
