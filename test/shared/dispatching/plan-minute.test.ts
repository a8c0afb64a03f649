// Which sources are due in a minute, and which queue gets them.
import { describe, expect, test } from 'vitest';
import {
  type KnownSource,
  learnFromLong,
  learnFromShard,
  type Note,
} from '../../../shared/dispatching/known-source.ts';
import { type DueSource, isDue, planMinute } from '../../../shared/dispatching/plan-minute.ts';

const MINUTE = 29_400_000;
const SLOT = MINUTE * 60_000;
const ago = (minutes: number) => SLOT - minutes * 60_000;

function aSource(name = 'acme', intervalMs = 60_000): DueSource {
  return { name, version: 1, alarm: false, settings: { intervalMs } };
}

function plan(sources: readonly DueSource[], known: Readonly<Record<string, KnownSource>> = {}) {
  return planMinute(MINUTE, sources, new Map(Object.entries(known)), MINUTE - 1);
}

/** The queue of one source. */
function queueOf(known: KnownSource | undefined, intervalMs = 60_000): string {
  const { shards, long } = plan([aSource('acme', intervalMs)], known === undefined ? {} : { acme: known });
  if (long.length > 0) return 'long';
  return shards.length > 0 ? 'quick' : 'none';
}

const long = (changes: Partial<NonNullable<KnownSource['long']>>): KnownSource => ({
  since: ago(100),
  notedAt: ago(1),
  long: { until: SLOT + 300_000, sentAt: ago(1), doneAt: ago(1), failures: 0, ...changes },
});

test.each<[string, KnownSource | undefined, string]>([
  ['a new source', undefined, 'quick'],
  ['a source that was quiet', { since: ago(100), notedAt: ago(1), quietAt: ago(1) }, 'quick'],
  ['a source whose shard was lost', { since: ago(100), notedAt: ago(4), quietAt: ago(4) }, 'quick'],
  ['a source with the long queue, whose tick is done', long({}), 'long'],
  ['one whose tick is under way', long({ doneAt: ago(2) }), 'none'],
  ['one whose tick is under way after its ten minutes', long({ doneAt: ago(2), until: ago(1) }), 'none'],
  ['one whose tick was not noted for ten minutes', long({ sentAt: ago(10), doneAt: ago(11) }), 'long'],
  ['one whose ten minutes are over', long({ until: SLOT }), 'quick'],
  ['one that failed once', long({ failures: 1 }), 'long'],
  ['one that failed twice, a minute ago', long({ failures: 2 }), 'none'],
  ['one that failed twice, two minutes ago', long({ failures: 2, sentAt: ago(2), doneAt: ago(2) }), 'long'],
  ['one that failed often, four minutes ago', long({ failures: 9, sentAt: ago(4), doneAt: ago(4) }), 'none'],
  ['one that failed often, five minutes ago', long({ failures: 9, sentAt: ago(5), doneAt: ago(5) }), 'long'],
  ['one that fails after its ten minutes', long({ failures: 1, until: ago(1) }), 'long'],
])('%s goes to the right queue', (_, known, queue) => {
  const to = queueOf(known);

  expect(to).toBe(queue);
});

test('a source that is polled more often than each minute is with the long queue each minute', () => {
  const underWay = long({ doneAt: ago(2), failures: 9 });

  const queues = [queueOf(undefined, 5_000), queueOf(underWay, 30_000)];

  expect(queues).toEqual(['long', 'long']);
});

describe('an interval of minutes', () => {
  test('is kept from the first minute on, and sources of an hour are spread over it', () => {
    const sources = Array.from({ length: 600 }, (_, at) => aSource(`shop-${at}`, 3_600_000));
    const minutes = Array.from({ length: 120 }, (_, at) => MINUTE + at);

    const dueAt = sources.map((source) => minutes.filter((minute) => isDue(source, minute)));

    for (const [first = 0, second, ...others] of dueAt) expect([second, others]).toEqual([first + 60, []]);
    const perMinute = minutes.slice(0, 60).map((minute) => sources.filter((it) => isDue(it, minute)).length);
    expect(Math.max(...perMinute)).toBeLessThan(30);
  });

  test('is a tick at each minute for one of a minute', () => {
    expect([0, 1, 2].map((more) => isDue(aSource(), MINUTE + more))).toEqual([true, true, true]);
  });
});

describe('shards', () => {
  const sources = Array.from({ length: 105 }, (_, at) => aSource(`shop-${at}`));
  const namesIn = ({ shards }: ReturnType<typeof plan>) =>
    shards.map((shard) => shard.sources.map(({ source }) => source));

  test('hold each source once, twenty at most, spread over two thirds of the minute', () => {
    const planned = plan(sources);

    expect(planned.shards.map((shard) => shard.sources.length)).toEqual([20, 20, 20, 20, 20, 5]);
    expect(new Set(namesIn(planned).flat()).size).toBe(105);
    expect(planned.shards.map(({ slot }) => (slot - SLOT) / 1_000)).toEqual([0, 6, 13, 20, 26, 33]);
  });

  test('are drawn anew each minute, and the same for a repeated one', () => {
    const [first, again] = [plan(sources), plan(sources.toReversed())];
    const next = planMinute(MINUTE + 1, sources, new Map(), MINUTE);

    expect(namesIn(again).map((names) => names.toSorted())).toEqual(
      namesIn(first).map((names) => names.toSorted()),
    );
    const neighbours = new Set(namesIn(first)[0]);
    expect(namesIn(next)[0]?.filter((name) => neighbours.has(name)).length).toBeLessThan(12);
  });

  test('pass on when a source was last found quiet, and the version of its entry', () => {
    const known = { acme: { since: ago(9), notedAt: ago(1), quietAt: ago(1) } };

    const { shards } = plan([aSource()], known);

    expect(shards[0]?.sources).toEqual([{ source: 'acme', version: 1, alarm: false, quietAt: ago(1) }]);
  });
});

describe('what the next minute has to know', () => {
  test('leaves out sources that were quiet in the last minute: their notes say all', () => {
    const { known } = plan([aSource(), aSource('globex')], {
      acme: { since: ago(100), notedAt: ago(1), quietAt: ago(1) },
      globex: { since: ago(100), notedAt: ago(2), quietAt: ago(2) },
    });

    expect(Object.keys(known)).toEqual(['globex']);
  });

  test('keeps what is held and set aside of a source that is quiet again', () => {
    const held = { since: ago(9), notedAt: ago(1), quietAt: ago(1), held: 1, setAside: 3 };

    const { known, figures } = plan([aSource(), aSource('globex')], { acme: held });

    expect(known.acme).toEqual(held);
    expect(figures).toMatchObject({ held: 1, setAside: 3 });
  });
});

describe('the sources as a whole', () => {
  test.each<[string, KnownSource, number]>([
    ['read five minutes ago', { since: ago(100), quietAt: ago(5) }, 0],
    ['read six minutes ago', { since: ago(100), quietAt: ago(6) }, 1],
    ['read lately by a long tick', { since: ago(100), quietAt: ago(60), readAt: ago(1) }, 0],
    ['never read, new', { since: ago(2) }, 0],
    ['never read, for an hour', { since: ago(60) }, 1],
  ])('a source that was %s is behind, or not', (_, known, behind) => {
    expect(plan([aSource()], { acme: known }).figures.behind).toBe(behind);
  });

  test('a source of an hour is behind after three of them', () => {
    const known = (minutes: number) => ({ acme: { since: ago(900), quietAt: ago(minutes) } });

    const behind = [180, 181].map(
      (minutes) => plan([aSource('acme', 3_600_000)], known(minutes)).figures.behind,
    );

    expect(behind).toEqual([0, 1]);
  });

  test('those that are polled late come worst first; those that wait because they fail are not late', () => {
    const { late } = plan([aSource('a'), aSource('b'), aSource('c'), aSource('d')], {
      a: { since: ago(100), notedAt: ago(1) },
      b: { since: ago(100), notedAt: ago(4) },
      c: { since: ago(100), notedAt: ago(9) },
      d: { ...long({ failures: 3, sentAt: ago(4), doneAt: ago(4) }), notedAt: ago(5) },
    });

    expect(late).toEqual([
      { source: 'c', lateMs: 420_000 },
      { source: 'b', lateMs: 120_000 },
    ]);
  });
});

describe('what a note tells', () => {
  const known: KnownSource = { since: ago(100), notedAt: ago(2), quietAt: ago(2) };

  test('a source that was sent on waits for its tick, and stays as long as the notes ask for', () => {
    const sentOn = { slot: ago(1), isSentOn: true, why: 'a walk is due' };

    const [learned, staying] = [sentOn, { ...sentOn, stayUntil: ago(-9) }].map((it) =>
      learnFromShard(known, it),
    );

    expect(learned?.long).toEqual({ until: 0, sentAt: ago(1), failures: 0 });
    expect(queueOf(learned)).toBe('none');
    const done = { slot: ago(1), readAt: ago(1) };
    expect([learned, staying].map((it) => it && queueOf(learnFromLong(it, done)))).toEqual(['quick', 'long']);
  });

  test('a note that comes twice, with the minute and the one after, counts once', () => {
    const sentOn: Note = { slot: ago(1), isSentOn: true };
    const failed: Note = { slot: ago(1), failed: true };

    const once = learnFromLong(learnFromShard(known, sentOn), failed);
    const twice = learnFromLong(learnFromShard(once, sentOn), failed);

    expect(once.long?.failures).toBe(1);
    expect(twice).toEqual(once);
  });

  test('a tick that succeeds ends the row of failures', () => {
    const failing = long({ failures: 4, sentAt: ago(1), doneAt: ago(6) });

    const learned = learnFromLong(failing, { slot: ago(1), readAt: ago(1), failed: false });

    expect(learned).toMatchObject({ long: { failures: 0 } });
  });

  test('a late note of an older tick changes nothing', () => {
    const learned = learnFromShard(known, { slot: ago(3), why: 'busy', failed: true });

    expect(learned).toEqual(known);
  });
});
