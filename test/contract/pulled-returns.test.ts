// A reader of the pull feed with the shape `return`: on one machine, and in AWS.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forgetGroup } from '../../shared/comparing/forget-group.ts';
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import { makeTombstone } from '../../shared/comparing/tombstone.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { type ReturnChanged, returnChanged } from '../../shared/contract/return-message.ts';
import type { GroupKey, Save } from '../../shared/ports.ts';
import { readReturns } from '../../shared/pulling/known-returns.ts';
import type { Piece } from '../../shared/pulling/pull-stream.ts';
import type { Reader } from '../../shared/pulling/reader.ts';
import { createReaderStream } from '../../shared/pulling/reader-stream.ts';
import { runs } from '../property-runs.ts';
import { PULL_STORES, type PullStores } from './positions-under-test.ts';
import { aKey, anEvent, aSave, aShipment, aSnapshot } from './sample-saves.ts';
import { hastyClock } from './stores.ts';

const A_MINUTE_MS = 60_000;
const NOW = 1_795_000_000_000_000;

let generations = 0;
/** Each begins with numbers and returns of its own. */
const freshSource = () => ({ source: 'acme', generation: `run${generations++}` });

/** The next state, whose outcome is its number. */
function nextSave(key: GroupKey, before: Snapshot | undefined, events: number): Save {
  const { snapshot, ...rest } = aSave(key, before, events);
  const { projection, sequence } = snapshot;
  const group = { ...projection.group, return_outcome: String(sequence) };
  return { ...rest, snapshot: { ...snapshot, projection: { ...projection, group } } };
}

function removalOf(key: GroupKey, before: Snapshot): Save {
  const { events, expectedVersion } = aSave(key, before, 1);
  const { projection, updatedAt, createdAt, sentAt, receivedAt } = before;
  const kept = { group: projection.group, updatedAt, createdAt, sentAt, receivedAt };
  return {
    expectedVersion,
    snapshot: makeTombstone(before, { ...kept, sequence: before.sequence + 1, removedAt: NOW }),
    events: events.map((event) => ({ ...event, type: 'return_group.removed' }) as never),
  };
}

const messagesOf = ({ body }: Piece): ReturnChanged[] =>
  (JSON.parse(new TextDecoder().decode(body)) as unknown[]).map((message) => returnChanged.parse(message));
const changesOf = ({ data }: ReturnChanged) => data.changes.map(({ id }) => Number(id.split('_').at(-1)));
const shown = (piece: Piece) =>
  messagesOf(piece).map(
    (message) => `${message.data.return_group.id} r${message.data.sequence}: ${changesOf(message)}`,
  );

describe.each(PULL_STORES)('a reader of whole returns $name', ({ name, open }) => {
  let stores: PullStores;
  let source: ReturnType<typeof freshSource>;
  /** The end of the feed before the test. */
  let start: string;

  beforeAll(async () => {
    stores = await open(hastyClock);
  });
  afterAll(() => stores.close());
  beforeEach(async () => {
    source = freshSource();
    start = await reader().end();
  });

  const keyOf = (group: number) => aKey(group, source);
  const load = async (key: GroupKey) =>
    (await stores.snapshots.load(key, [Number(key.group)])).get(Number(key.group));

  function reader(given: Partial<Reader> = {}, ports: Partial<PullStores> = {}) {
    return createReaderStream(
      { ...stores, clock: hastyClock, ...ports },
      { filter: {}, shape: 'return', ...given },
    );
  }

  async function read(
    offset = start,
    limit?: number,
    given: Partial<Reader> = {},
    ports: Partial<PullStores> = {},
  ): Promise<Piece> {
    const piece = await reader(given, ports).read(offset, limit);
    if (typeof piece === 'string') throw new Error(piece);
    return piece;
  }

  /** Each page, until there is no more. */
  async function readAll(limit?: number, given: Partial<Reader> = {}): Promise<Piece[]> {
    const pages: Piece[] = [];
    for (let offset = start; pages.at(-1)?.isUpToDate !== true; offset = pages.at(-1)?.next ?? '')
      pages.push(await read(offset, limit, given));
    return pages;
  }

  async function commit(key: GroupKey, save: Save): Promise<void> {
    expect(await stores.snapshots.save(key, save)).toBe('saved');
    await stores.relay([key], A_MINUTE_MS);
  }
  const change = async (group: number, events = 1, to = (save: Save): Save => save) =>
    commit(keyOf(group), to(nextSave(keyOf(group), await load(keyOf(group)), events)));

  test('shows each return of a page once, as it is, with its changes in the page', async () => {
    await change(1, 2);
    await change(2);
    await change(1);

    const page = await read();

    const [first] = messagesOf(page);
    expect(shown(page)).toEqual(['1 r3: 1,2,3', '2 r1: 1']);
    expect(first).toMatchObject({ id: `acme_${source.generation}_1_r3`, partitionkey: 'acme/1' });
    expect(first?.data.return).toMatchObject({ sequence: 3, return_group: { return_outcome: '3' } });
    expect([page.isUpToDate, page.next]).toEqual([true, await reader().end()]);
  });

  test('shows a return again, under the same id, in each page that has an event of it', async () => {
    await change(1);
    await change(2);
    await change(1, 2);

    const pages = await readAll(1);

    expect(pages.map(shown)).toEqual([['1 r3: 1,2,3'], ['2 r1: 1'], ['1 r3: 2,3'], ['1 r3: 3']]);
  });

  test('shows a return that changes while it is read as it is then', async () => {
    await change(1);
    const ledger = {
      ...stores.ledger,
      async read(...given: Parameters<typeof stores.ledger.read>) {
        if ((await load(keyOf(1)))?.sequence === 1) await change(1);
        return stores.ledger.read(...given);
      },
    };

    const page = await read(start, 1, {}, { ledger });

    expect(shown(page)).toEqual(['1 r2: 1,2']);
    expect(shown(await read(page.next))).toEqual(['1 r2: 2']);
  });

  test('waits for the state of an event that is there before it', async () => {
    await change(1);
    let loads = 0;
    const snapshots = {
      ...stores.snapshots,
      load: async (...given: Parameters<typeof stores.snapshots.load>) =>
        ++loads <= 2 ? new Map() : stores.snapshots.load(...given),
    };

    expect(shown(await read(start, 1, {}, { snapshots }))).toEqual(['1 r1: 1']);
  });

  test('shows a return if any event of the page passes the filter, with all its changes, and moves on', async () => {
    const filter = { types: ['shipment.created'] } as const;
    const created = (save: Save): Save => ({
      ...save,
      events: save.events.map((event) => ({ ...event, type: 'shipment.created' }) as FeedEvent),
    });
    await change(1);
    await change(2);
    await change(1, 1, created);
    await change(1);

    const page = await read(start, undefined, { filter });
    const [before, after] = [await read(start, 1, { filter }), await read(page.next, 1, { filter })];

    expect(shown(page)).toEqual(['1 r3: 1,2,3']);
    expect(before.next).toBe(page.next.replace(/\d{4}$/, (end) => String(Number(end) - 1).padStart(4, '0')));
    expect([after.isEmpty, after.isUpToDate]).toEqual([true, true]);
  });

  test('with `hasTracking`, shows returns with a tracking number alone', async () => {
    const untracked = { ...aShipment(1), tracking_number: null };
    await change(1, 1, ({ snapshot, ...save }) => ({
      ...save,
      snapshot: { ...snapshot, projection: { ...snapshot.projection, shipments: [untracked] } },
      events: [anEvent(keyOf(1), 1, untracked)],
    }));
    await change(2);

    expect(shown(await read(start, undefined, { filter: { hasTracking: true } }))).toEqual(['2 r1: 1']);
  });

  test('shows of a removed return that it is gone, and of a forgotten one nothing else', async () => {
    for (const group of [1, 2]) await change(group, 2);
    const [removed, forgotten] = [await load(keyOf(1)), await load(keyOf(2))] as [Snapshot, Snapshot];
    await commit(keyOf(1), removalOf(keyOf(1), removed));
    await commit(keyOf(2), forgetGroup(forgotten, keyOf(2), NOW, true));

    const page = await read();

    expect(messagesOf(page).map(({ data }) => data.return)).toEqual([null, null]);
    expect(shown(page)).toEqual(['1 r3: 1,2,3', '2 r3: 3']);
    expect(JSON.stringify(messagesOf(page)[1])).not.toContain('DELIVERED');
  });

  test('ends a page at 100 returns, and goes on with the next', async () => {
    for (let group = 1; group <= 103; group += 1) await change(group);

    const pages = await readAll();

    expect(pages.map((page) => messagesOf(page).length)).toEqual([100, 3]);
    expect(new Set(pages.flatMap(shown)).size).toBe(103);
  });

  test('ends a page at a MiB, and goes on with the first return that is not in it', async () => {
    const order = { ...aSnapshot(1).projection.group.order, name: 'x'.repeat(400_000) };
    const large = ({ snapshot, ...save }: Save): Save => {
      const group = { ...snapshot.projection.group, order };
      return { ...save, snapshot: { ...snapshot, projection: { ...snapshot.projection, group } } };
    };
    for (const group of [1, 2, 3, 4, 1]) await change(group, 1, large);

    const pages = await readAll();

    expect(pages.map(shown)).toEqual([
      ['1 r2: 1,2', '2 r1: 1', '3 r1: 1'],
      ['4 r1: 1', '1 r2: 2'],
    ]);
  });

  interface Commit {
    readonly group: number;
    readonly events: number;
    /** The return is removed, if it is there. */
    readonly removes: boolean;
    /** In AWS the relay may be late. */
    readonly isRelayed: boolean;
  }
  interface Request {
    readonly limit: number;
    /** How many saves come before it. */
    readonly commits: number;
    /** A client that dies before it has saved the offset has handled the page, or not. */
    readonly end: 'saved' | 'handled' | 'lost';
    /** Which earlier message it handles once more, counted from the newest. */
    readonly repeats: number;
  }

  const commits: fc.Arbitrary<Commit[]> = fc.array(
    fc.record({
      group: fc.integer({ min: 1, max: 4 }),
      events: fc.integer({ min: 1, max: 3 }),
      removes: fc.integer({ max: 5, min: 0 }).map((drawn) => drawn === 0),
      isRelayed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  );
  const requests: fc.Arbitrary<Request[]> = fc.array(
    fc.record({
      limit: fc.integer({ min: 1, max: 6 }),
      commits: fc.nat(3),
      end: fc.constantFrom('saved', 'saved', 'handled', 'lost'),
      repeats: fc.nat(10),
    }),
    { minLength: 1, maxLength: 12 },
  );
  /** Before which calls of a store one save comes. */
  const moments = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 });

  test('leaves a client that keeps the newest by generation and number with the state of `export`', async () => {
    await fc.assert(
      fc.asyncProperty(commits, requests, moments, async (saves, script, drawn) => {
        source = freshSource();
        const client = new Map<number, ReturnChanged>();
        const [left, late] = [[...saves], new Set<number>()];
        const handled: ReturnChanged[] = [];
        let [offset, calls] = [await reader().end(), 0];

        async function commitNext(): Promise<void> {
          const next = left.shift();
          if (next === undefined) return;
          const key = keyOf(next.group);
          const before = await load(key);
          const isThere = before !== undefined && before.removedAt === undefined;
          const save = next.removes && isThere ? removalOf(key, before) : nextSave(key, before, next.events);
          await stores.snapshots.save(key, save);
          late.add(next.group);
          if (next.isRelayed) await relay();
        }
        async function relay(): Promise<void> {
          const groups = [...late];
          // Before the relay: what is saved meanwhile is late again.
          late.clear();
          await stores.relay(groups.map(keyOf), A_MINUTE_MS);
        }
        /** The same port, before some of whose calls a save comes. */
        const disturbed = <Port extends object>(port: Port, method: keyof Port): Port => ({
          ...port,
          [method]: async (...given: unknown[]) => {
            if (drawn[calls++ % drawn.length]) await commitNext();
            return (port[method] as (...args: unknown[]) => Promise<unknown>)(...given);
          },
        });
        const ports = {
          positions: disturbed(stores.positions, 'read'),
          ledger: disturbed(stores.ledger, 'read'),
          snapshots: disturbed(stores.snapshots, 'load'),
        };
        function handle(message: ReturnChanged): void {
          const { sequence, return_group: group } = message.data;
          if (sequence >= (client.get(group.id)?.data.sequence ?? 0)) client.set(group.id, message);
        }
        async function ask({ limit, end, repeats }: Request): Promise<boolean> {
          const piece = await read(offset, limit, {}, ports);
          const messages = messagesOf(piece);
          expect(new Set(messages.map(({ subject }) => subject)).size).toBe(messages.length);
          messages.forEach(expectOneMoment);
          if (end !== 'lost') for (const message of messages) handle(message);
          if (end === 'saved') offset = piece.next;
          handled.push(...messages);
          const again = handled.at(-1 - repeats);
          if (again !== undefined && end !== 'lost') handle(again);
          return piece.isUpToDate && end === 'saved';
        }

        for (const request of script) {
          for (let count = 0; count < request.commits; count += 1) await commitNext();
          await ask(request);
        }
        while (left.length > 0) await commitNext();
        await relay();
        const last = script.at(-1) as Request;
        while (!(await ask({ ...last, end: 'saved' })));

        const { groups } = await readReturns(stores.snapshots, source, undefined);
        const known = [...client.values()].flatMap(({ data }) => (data.return === null ? [] : [data.return]));
        const byId = (a: { return_group: { id: number } }, b: typeof a) =>
          a.return_group.id - b.return_group.id;
        expect(known.sort(byId)).toEqual(groups.map(({ whole }) => whole).sort(byId));
      }),
      // Shrinking would take longer than a test may.
      { numRuns: runs(name === 'on SQLite' ? 100 : 20), endOnFailure: true },
    );
  });
});

/** The state, its number and the changes are of one moment. */
function expectOneMoment(message: ReturnChanged): void {
  const { return: whole, sequence, changes } = message.data;
  const numbers = changesOf(message);
  expect(numbers).toEqual(changes.map((_, at) => sequence - changes.length + 1 + at));
  if (whole === null) expect(changes.at(-1)?.type).toBe('return_group.removed');
  else expect([whole.sequence, whole.return_group.return_outcome]).toEqual([sequence, String(sequence)]);
}
