// In which order the lanes of a tick send their requests.
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Turn } from '../../../shared/pacing/turns.ts';
import type { SourceSettings } from '../../../shared/source/source-settings.ts';
import type { LaneName, SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition } from '../a-state.ts';
import { createListWorld } from '../list-world.ts';

const NOW = VIRTUAL_START;
const OFTEN = { intervalMs: 5_000 };
const KNOWN = { baselineAt: NOW - HOUR };

/** A state whose lanes were all read so long ago. */
function readBefore(ago: number): Partial<SourceState> {
  const at = NOW - ago;
  return { ...KNOWN, position: aPosition({ readAt: { late: at, recent: at, older: at } }) };
}

/** The turn of a lane's request. */
async function turnOf(
  lane: LaneName,
  state: Partial<SourceState>,
  settings: Partial<SourceSettings>,
): Promise<Turn> {
  const world = createListWorld({ settings });
  const session = world.startProcess();
  const turns: Turn[] = [];
  const { requests } = session;
  const run = world.begin(state, {
    ...session,
    requests: {
      ...requests,
      send(turn, ...request) {
        turns.push(turn);
        return requests.send(turn, ...request);
      },
    },
  });
  const asking = run.ask(lane, { limit: 10 }).catch(() => undefined);
  await world.time.run(asking);
  const [turn] = turns;
  if (turn === undefined) throw new Error('Nothing was asked.');
  return turn;
}

describe('the requests of', () => {
  it.each<[string, LaneName, Partial<SourceState>, Partial<SourceSettings>, Turn['order']]>([
    ['`fresh` come first', 'fresh', KNOWN, OFTEN, 'first'],
    ['`late` come first where it reads the newest changes', 'late', readBefore(0), {}, 'first'],
    ['`late` are due beside `fresh`', 'late', readBefore(2.5 * MINUTE), OFTEN, 'due'],
    ['`late` are overdue after half of the lookback', 'late', readBefore(2.5 * MINUTE + 1), OFTEN, 'overdue'],
    ['`late` are overdue before it has read anything', 'late', KNOWN, OFTEN, 'overdue'],
    ['a walk before its time are early', 'recent', readBefore(10 * MINUTE - 1), {}, 'early'],
    ['a walk in its time are due', 'recent', readBefore(10 * MINUTE), {}, 'due'],
    [
      'a walk before the time of the settings are early',
      'recent',
      readBefore(59 * SECOND),
      { reconcileMs: 60_000 },
      'early',
    ],
    [
      'a walk in the time of the settings are due',
      'recent',
      readBefore(MINUTE),
      { reconcileMs: 60_000 },
      'due',
    ],
    ['a walk over older groups before its time are early', 'older', readBefore(12 * HOUR - 1), {}, 'early'],
    ['a walk over older groups in its time are due', 'older', readBefore(12 * HOUR), {}, 'due'],
    ['the first walk are due', 'recent', KNOWN, {}, 'due'],
    ['look-ups are due', 'look-ups', KNOWN, {}, undefined],
  ])('%s', async (_, lane, state, settings, order) => {
    expect((await turnOf(lane, state, settings)).order).toBe(order);
  });

  it.each(['late', 'recent', 'look-ups'] as const)(
    '%s use what is kept for polls in the baseline alone',
    async (lane) => {
      const during = await turnOf(lane, { baselineAt: undefined }, OFTEN);
      const after = await turnOf(lane, KNOWN, OFTEN);

      expect([during.usesAll, after.usesAll]).toEqual([true, false]);
    },
  );
});

describe('the answers of a tick', () => {
  it('are noted as old since the first of them that is older than `settle`', async () => {
    const world = createListWorld({ knobs: { age: MINUTE } });
    const run = world.begin();
    const agedAfter = async (age: number) => {
      world.list.knobs.age = age;
      await world.time.run(run.ask('recent', { limit: 10 }));
      return run.state.position.agedSince;
    };

    const since = [
      await agedAfter(MINUTE),
      await agedAfter(MINUTE + 1),
      await agedAfter(HOUR),
      await agedAfter(0),
    ];

    expect(since).toEqual([undefined, since[2], expect.any(Number), undefined]);
  });
});
