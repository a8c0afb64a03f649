import { describe, expect, it } from 'vitest';
import { proveIdentity } from '../../../shared/guarding/prove-identity.ts';
import { DAY, HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import { anUnreadableRow, aRow } from '../reading/some-rows.ts';

const NOW: Instant = Date.UTC(2026, 10, 20, 12) * MILLISECOND;
const CREATED = NOW - DAY;

interface Looked {
  /** The creation time of the found group, minus that of the known group. */
  readonly later: Instant;
  /** Whether the source's stamps name their zone. */
  readonly knownZoned: boolean;
  /** Whether the stamps of the found group name their zone. */
  readonly zoned: boolean;
}

/** The outcome for a group that is found under the id of the only known group. */
async function outcomeOf({ later, knownZoned, zoned }: Looked): Promise<string> {
  const { outcome } = await proveIdentity({
    source: { source: 'acme', generation: 'mi8x2k' },
    store: {
      async *knownCreatedBetween() {
        yield { groupId: 7, createdAt: CREATED };
      },
    },
    lookUp: async () => ({ rows: [aRow(7, { createdAt: CREATED + later, zoned })], accessHash: 'second' }),
    now: NOW,
    zoned: knownZoned,
    random: () => 0,
  });
  return outcome;
}

describe('a group that is found under a known id', () => {
  it.each([0, SECOND, -SECOND])(
    'is the known group if both were created in the same second: %d',
    async (later) => {
      const outcome = await outcomeOf({ later, knownZoned: true, zoned: true });

      expect(outcome).toBe('found');
    },
  );

  it.each([15 * MINUTE, -HOUR, 8 * HOUR + SECOND, SECOND + 1])(
    'is a group of another store if it was created at another time, even whole zones apart: %d',
    async (later) => {
      const zoned = await outcomeOf({ later, knownZoned: true, zoned: true });
      const without = await outcomeOf({ later, knownZoned: false, zoned: false });

      expect([zoned, without]).toEqual(['not_found', 'not_found']);
    },
  );

  it.each([15 * MINUTE, -HOUR, 8 * HOUR + SECOND, 15 * HOUR])(
    'is the known group if stamps began or ceased to name a zone that explains the difference: %d',
    async (later) => {
      const begun = await outcomeOf({ later, knownZoned: false, zoned: true });
      const ceased = await outcomeOf({ later, knownZoned: true, zoned: false });

      expect([begun, ceased]).toEqual(['found', 'found']);
    },
  );

  it.each([7 * MINUTE, 15 * MINUTE + SECOND + 1, 15 * HOUR + SECOND, 24 * HOUR])(
    'is a group of another store if no zone explains the difference: %d',
    async (later) => {
      const outcome = await outcomeOf({ later, knownZoned: false, zoned: true });

      expect(outcome).toBe('not_found');
    },
  );
});

/** The outcome for the answers to look-ups of several known groups, one after the other. */
async function outcomeOfRows(...answers: readonly (readonly RowReading[])[]): Promise<string> {
  let lookUps = 0;
  const { outcome } = await proveIdentity({
    source: { source: 'acme', generation: 'mi8x2k' },
    store: {
      async *knownCreatedBetween() {
        for (const groupId of [7, 8, 9]) yield { groupId, createdAt: CREATED };
      },
    },
    async lookUp() {
      const rows = answers[lookUps] ?? [];
      lookUps += 1;
      return { rows, accessHash: 'second' };
    },
    now: NOW,
    zoned: true,
    most: answers.length,
    random: () => 0,
  });
  return outcome;
}

describe('an unreadable group under a known id', () => {
  it.each([
    ['without an id', anUnreadableRow()],
    ['with its id and no creation time', anUnreadableRow(7)],
    ['with its id and another creation time', { ...anUnreadableRow(7), createdAt: CREATED + HOUR }],
  ])('neither proves nor disproves identity: %s', async (_, row) => {
    expect(await outcomeOfRows([row])).toBe('unreadable');
  });

  it('is the known group if its id and its creation time are readable', async () => {
    expect(await outcomeOfRows([{ ...anUnreadableRow(7), createdAt: CREATED }])).toBe('found');
  });

  it('leaves the decision to the other known groups', async () => {
    expect(await outcomeOfRows([anUnreadableRow()], [aRow(8, { createdAt: CREATED })])).toBe('found');
    expect(await outcomeOfRows([anUnreadableRow()], [])).toBe('unreadable');
  });

  it('is not found if every row names another id', async () => {
    expect(await outcomeOfRows([anUnreadableRow(5)])).toBe('not_found');
  });
});
