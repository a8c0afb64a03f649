// A search beside a running feed, on one machine.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Found,
  findReturns,
  findStored,
  type SearchOptions,
  type SearchProblem,
} from '../../../local/operating/find-returns.ts';
import type { OpenFeed } from '../../../local/place/open-feed.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { MILLISECOND, SECOND } from '../../../shared/instant.ts';
import { aParcel, HOSTILE, type SearchedFeed, startSearchedFeed, TOKEN } from './searched-feed.ts';

let searched: SearchedFeed;

beforeAll(async () => {
  searched = await startSearchedFeed();
});
afterAll(() => searched.close());
beforeEach(() => {
  searched.service.control.setKnob('limitMax', 250);
  searched.service.control.setKnob('strings', 'exact');
});

async function find(
  text: string,
  options: SearchOptions = {},
): Promise<{ found: Found[]; problems: SearchProblem[] }> {
  const problems: SearchProblem[] = [];
  const onProblem = (problem: SearchProblem) => problems.push(problem);
  const environment = { RETURNS_API_TOKEN: TOKEN };
  const found = await searched.open((open) =>
    findReturns(open, text, { environment, onProblem, ...options }),
  );
  return { found, problems };
}

/** Requests since the start. */
const sent = () => searched.service.control.requests().length;

test('a stored return is found by its tracking number or order name without a request, also if the service is down', async () => {
  const { group, order, shipment } = aParcel(searched);
  const before = sent();
  const [name, number] = [String(order.name), String(shipment?.tracking_number)];

  for (const text of [name, name.replace('#', ''), ` ${name} `.trim()])
    expect((await find(text, { as: ['order_name'] })).found).toEqual([
      { source: 'acme', returnGroupId: group, matched: 'order_name', isExact: true },
    ]);
  for (const text of [number, number.toLowerCase()])
    expect((await find(text, { environment: {} })).found).toEqual([
      { source: 'acme', returnGroupId: group, matched: 'tracking_number', isExact: true },
    ]);

  expect(sent()).toBe(before);
});

test('a tracking number that is not stored yet is found at the service, with a few requests', async () => {
  const { group, text } = aNewNumber();
  const before = sent();

  const { found, problems } = await find(text, { as: ['tracking_number'] });

  expect(found).toEqual([
    { source: 'acme', returnGroupId: group, matched: 'tracking_number', isAtService: true, isExact: true },
  ]);
  expect(problems).toEqual([]);
  expect(sent() - before).toBeLessThanOrEqual(3);
});

test('a former tracking number finds its return, as long as the ledger has the event', async () => {
  const { group, text } = aNewNumber();
  await searched.feed.tick();
  const { text: next } = aNewNumber();
  await searched.feed.tick();
  const before = sent();

  const { found } = await find(text.toLowerCase(), { as: ['tracking_number'] });

  const stored = { source: 'acme', returnGroupId: group, matched: 'tracking_number', isExact: true };
  expect(found).toEqual([{ ...stored, isFormer: true }]);
  expect((await find(next)).found).toEqual([stored]);
  expect(sent()).toBe(before);
});

let numbers = 0;

/** Gives a parcel a number that the feed has not read. */
function aNewNumber() {
  const { group } = aParcel(searched);
  numbers += 1;
  const text = `1ZNEW${numbers}`;
  searched.service.control.mutate(group, (draft) => {
    draft.shipments[0]!.tracking_number = text;
  });
  return { group, text };
}

test('an order name finds its return, also with special characters', async () => {
  const { group } = aParcel(searched);
  searched.service.control.mutate(group, (draft) => {
    draft.order.name = HOSTILE;
  });

  const { found } = await find(HOSTILE, { as: ['order_name'] });

  expect(found).toMatchObject([
    { source: 'acme', returnGroupId: group, matched: 'order_name', isExact: true },
  ]);
});

test('all pages of a clamped list are read, and the exact name comes first', async () => {
  const groups = searched.service.control.snapshot().slice(5, 40);
  for (const [index, { id }] of groups.entries())
    searched.service.control.mutate(Number(id), (draft) => {
      draft.order.name = index === 30 ? '#77' : `#77-${index}`;
    });
  searched.service.control.setKnob('strings', 'partial');
  searched.service.control.setKnob('limitMax', 10);

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
  const { group, shipment } = aParcel(searched);
  const { generation } = await searched.open((open) => open.stateOf('acme'));
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

/** Without an index of texts the newest groups are searched. */
function asInADeployment(open: OpenFeed): OpenFeed {
  const candidates: OpenFeed['lists']['candidates'] = (source, _, most) =>
    open.lists.candidates(source, '', most);
  return { ...open, lists: { ...open.lists, candidates } };
}

test('the search for an entity is bounded in a deployment, and reports the bound', async () => {
  const newest = searched.service.control.create().groupId;
  await searched.feed.tick();
  const known = searched.service.control.snapshot();
  const idOf = (group: number) => Number(known.find(({ id }) => id === group)?.returns[0]?.id);
  const oldest = Number(known[0]?.id);

  const [near, far] = await searched.open(async (open) => {
    const state = await open.stateOf('acme');
    return Promise.all(
      [newest, oldest].map((group) =>
        findStored(asInADeployment(open), state, String(idOf(group)), ['entity_id'], 3),
      ),
    );
  });

  expect(near?.found).toMatchObject([{ returnGroupId: newest }]);
  expect(far).toMatchObject({ found: [], isWhole: false, groups: 3 });
});

test('an unknown id finds nothing', async () => {
  const { found, problems } = await find('acme_abc_1_1', {
    as: ['return_group_id', 'entity_id', 'event_id'],
  });

  expect({ found, problems }).toEqual({ found: [], problems: [] });
});

test('without a token what is stored is still found, and otherwise the error names the variable', async () => {
  const { group } = aParcel(searched);

  const { found } = await find(String(group), { environment: {} });
  const { problems } = await find('#no such order', { environment: {} });

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

test('a token that is not that of the polls is not sent: it may belong to another service', async () => {
  const before = sent();
  const environment = { RETURNS_API_TOKEN: 'the-token-of-another-service' };

  const { found, problems } = await find('#1', { as: ['order_name'], environment });

  expect(found).toEqual([]);
  expect(problems).toMatchObject([{ message: expect.stringContaining('it was not sent there') }]);
  expect(sent()).toBe(before);
});

test('a failed search is repeated', async () => {
  const { group, text } = aNewNumber();
  searched.service.control.failNext('503-json', 2);
  const before = sent();

  const { found } = await find(text, { as: ['tracking_number'] });

  expect(found).toMatchObject([{ returnGroupId: group }]);
  expect(sent() - before).toBeGreaterThan(2);
});

test('a 429 makes the search wait', async () => {
  const { group, text } = aNewNumber();
  searched.service.control.failNext('429-retry-after');

  const { found } = await find(text, { as: ['tracking_number'] });

  expect(found).toMatchObject([{ returnGroupId: group }]);
});

test('a used-up budget ends a search without a request', async () => {
  const { text } = aNewNumber();
  await changeLease((now) => ({ expiresAt: 0, sentAt: Array(100).fill(now) }));
  const before = sent();

  const { found, problems } = await find(text, { as: ['tracking_number'] });

  expect(found).toEqual([]);
  expect(problems).toMatchObject([{ message: expect.stringContaining('budget') }]);
  expect(sent()).toBe(before);
});

test('a second search at the same time is refused', async () => {
  const { text } = aNewNumber();
  await changeLease((now) => ({ expiresAt: now + 10 * SECOND, sentAt: [] }));

  const { problems } = await find(text, { as: ['tracking_number'] });

  expect(problems).toMatchObject([
    { message: expect.stringContaining('is under way; try again in a minute') },
  ]);
  await changeLease(() => ({ expiresAt: 0, sentAt: [] }));
});

/** Stores a lease of searches of other processes. */
async function changeLease(lease: (now: number) => { expiresAt: number; sentAt: number[] }): Promise<void> {
  const store = await openStore(searched.data);
  const { version } = await store.searches.load('acme');
  await store.searches.save('acme', { ...lease(Date.now() * MILLISECOND), version: version + 1 }, version);
  await store.close();
}
