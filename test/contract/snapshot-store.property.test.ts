// The fake and the adapters return the same results for the same calls.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import type { GroupKey, Save } from '../../shared/ports.ts';
import { aKey, anEvent, aSmallSnapshot } from './sample-saves.ts';
import { STORES, type Stores } from './stores.ts';

const GROUPS = [1, 2, 3];

let stores: Stores[];
let runs = 0;

beforeAll(async () => {
  stores = await Promise.all(STORES.map(({ open }) => open()));
});
afterAll(() => Promise.all(stores.map(({ close }) => close())));

/** A save on the present version, on an older one, or on one that never existed. */
interface Attempt {
  readonly group: number;
  readonly versionsOff: number;
  readonly events: number;
  readonly removed: boolean;
  readonly receivedAt: number;
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  group: fc.constantFrom(...GROUPS),
  versionsOff: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 1 })),
  events: fc.oneof({ weight: 15, arbitrary: fc.nat(3) }, fc.constantFrom(90, 91, 130)),
  removed: fc.boolean(),
  receivedAt: fc.integer({ min: 1, max: 3 }),
});

type Step =
  | { readonly call: 'save'; readonly attempt: Attempt }
  | { readonly call: 'repeat' }
  | { readonly call: 'saveAll'; readonly attempts: readonly Attempt[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: attempt.map((made) => ({ call: 'save' as const, attempt: made })) },
  { weight: 2, arbitrary: fc.constant({ call: 'repeat' as const }) },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(attempt, { selector: ({ group }) => group, maxLength: 3 })
      .map((attempts) => ({ call: 'saveAll' as const, attempts })),
  },
);

test('all stores return the same results for any saves', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const source = { source: 'acme', generation: `run${runs++}` };

      const histories = await Promise.all(stores.map((each) => play(each, source, steps)));

      for (const history of histories.slice(1)) expect(history).toEqual(histories[0]);
    }),
    { numRuns: 40 },
  );
});

async function play(
  { snapshots, ledger }: Stores,
  source: Pick<GroupKey, 'source' | 'generation'>,
  steps: readonly Step[],
): Promise<unknown[]> {
  const history: unknown[] = [];
  let last: Save = saveFor(
    { group: 1, versionsOff: 0, events: 0, removed: false, receivedAt: 1 },
    source,
    undefined,
  );
  for (const each of steps) {
    const stored = await snapshots.load(source, GROUPS);
    if (each.call === 'saveAll') {
      const saves = each.attempts.map((made) =>
        saveFor({ ...made, events: 0 }, source, stored.get(made.group)),
      );
      history.push(await snapshots.saveAll(source, saves));
      continue;
    }
    if (each.call === 'save') last = saveFor(each.attempt, source, stored.get(each.attempt.group));
    const outcome = await outcomeOf(snapshots.save(aKey(last.snapshot.groupId, source), last));
    // A repeated old save may return its first result, or a conflict.
    const isOld = (stored.get(last.snapshot.groupId)?.version ?? 0) > last.snapshot.version;
    history.push(isOld && outcome !== 'failed' ? 'old' : outcome);
  }
  const known = [];
  for await (const group of snapshots.knownCreatedBetween(source, 0, Number.POSITIVE_INFINITY))
    known.push(group);
  const entries = await Promise.all(GROUPS.map((group) => ledger.read(aKey(group, source), 0, 5_000)));
  const found = await snapshots.load(source, GROUPS);
  return [...history, known, entries, GROUPS.map((group) => found.get(group))];
}

function saveFor(
  made: Attempt,
  source: Pick<GroupKey, 'source' | 'generation'>,
  stored: Snapshot | undefined,
): Save {
  const expectedVersion = Math.max(0, (stored?.version ?? 0) + made.versionsOff);
  const before = stored?.sequence ?? 0;
  const snapshot = aSmallSnapshot(made.group, expectedVersion + 1, {
    sequence: before + made.events,
    receivedAt: made.receivedAt,
    ...(made.removed ? { removedAt: 7 } : {}),
  });
  const key = aKey(made.group, source);
  const events = Array.from({ length: made.events }, (_, at) => anEvent(key, before + at + 1));
  return { snapshot, expectedVersion, events };
}

/** Returns the result, or `failed`, because the messages may differ. */
async function outcomeOf(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch {
    return 'failed';
  }
}
