// The live list contains each saved event, from the first page on, at whatever moment the browser connects.
import { beforeEach, expect, it } from 'vitest';
import type { Activities, Activity } from '../../functions/adapters/dynamodb-activities.ts';
import { merge } from '../../functions/poller/note-activity.ts';
import { createEventTail, readLatestEvents } from '../../local/console/tail-events.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { SECOND } from '../../shared/instant.ts';
import { ACME, aKey, anEvent } from '../contract/sample-saves.ts';
import { aState } from '../contract/sample-states.ts';
import { createMemoryLedger } from '../fakes/memory-ledger.ts';

let now: number;
let ledger: ReturnType<typeof createMemoryLedger>;
let feed: Parameters<typeof readLatestEvents>[0];
let activities: Activities;

beforeEach(() => {
  now = 1_800_000_000 * SECOND;
  ledger = createMemoryLedger();
  activities = createMemoryActivities();
  const state = aState('acme', 1, { generation: ACME.generation });
  feed = {
    ledger,
    activitiesOf: async () => new Map([['acme', (await activities.load('acme')) ?? NOTHING]]),
    sources: async () => ['acme'],
    states: { ...STATES, load: async () => state },
  };
});

const NOTHING: Activity = { minutes: [], recent: [] };
const STATES = { save: async () => 'saved' as const, identity: async () => 'here' };

async function save(group: number, ...sequences: readonly number[]): Promise<void> {
  now += SECOND;
  const key = aKey(group);
  const events = sequences.map((sequence) => anEvent(key, sequence));
  ledger.put(key, events);
  const news = { minutes: [], recent: [{ group, sequence: Math.max(...sequences), savedAt: now }] };
  await activities.save('acme', merge(news, await activities.load('acme')));
}

function createMemoryActivities(): Activities {
  const kept = new Map<string, Activity>();
  return {
    load: async (source) => kept.get(source),
    save: async (source, activity) => void kept.set(source, activity),
  };
}

const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id.split('_').slice(2).join(' '));

it('returns events that were saved between the page and its stream', async () => {
  await save(1, 1);
  const { events, position } = await readLatestEvents(feed);
  await save(1, 2);
  await save(2, 1, 2);
  const tail = createEventTail(feed, position);

  const first = await tail.next();
  await save(1, 3);
  const second = await tail.next();
  const third = await tail.next();

  expect(idsOf(events)).toEqual(['1 1']);
  expect(idsOf(first)).toEqual(expect.arrayContaining(['1 2', '2 1', '2 2']));
  expect(idsOf(second)).toEqual(['1 3']);
  expect(third).toEqual([]);
});

it('repeats a read that failed', async () => {
  const tail = createEventTail(feed, now);
  await tail.next();
  await save(1, 1);
  const read = ledger.read;
  ledger.read = async () => {
    throw new Error('The table does not answer.');
  };

  await expect(tail.next()).rejects.toThrow('does not answer');
  ledger.read = read;
  const events = await tail.next();

  expect(idsOf(events)).toEqual(['1 1']);
});

it('continues from the position of a stream that ended', async () => {
  const before = createEventTail(feed, now);
  await save(1, 1);
  await before.next();
  await save(2, 1);

  // A later save with an earlier time, because the clock's estimate changed.
  now -= 3 * SECOND;
  await save(3, 1);

  const after = await createEventTail(feed, before.position()).next();

  expect(idsOf(after)).toEqual(expect.arrayContaining(['2 1', '3 1']));
});
