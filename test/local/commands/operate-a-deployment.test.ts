// `explain`, `redrive`, `replay` and `forget` of a deployment, on real engines, as a shell sees them.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { compareReading } from '../../../shared/comparing/compare-reading.ts';
import type { EventOf, FeedEvent } from '../../../shared/contract/event.ts';
import { MINUTE } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { aRow, OPTIONS, read } from '../../shared/comparing/a-reading.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';
import { FEED } from '../../shared/publishing/setting.ts';
import { openDeployment, type TestDeployment } from './a-deployment.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ONE_LINE = /^error: [^\n]+\n$/;

let deployment: TestDeployment;

beforeAll(async () => {
  deployment = await openDeployment();
});
afterAll(() => deployment.close());

const run = (...args: string[]) => deployment.run(...args);

async function numbersInQueue(): Promise<string[]> {
  const messages = await deployment.drain();
  return messages.map(({ Body = '' }) => (JSON.parse(Body) as FeedEvent).id.replace(/^acme_mi8x2k_/, ''));
}

/** The events that were reported as skipped. */
async function skipped() {
  const entries = await deployment.ledger.read(FEED, 0, 100);
  return entries.flatMap((entry) =>
    'event' in entry ? [(entry.event as EventOf<'feed.events_skipped'>).data.object] : [],
  );
}

/** Saves the readings of a group one by one, like the poller. */
async function save(key: GroupKey, ...readings: ReturnType<typeof read>[]) {
  for (const reading of readings) {
    const { snapshots } = deployment;
    const known = (await snapshots.load(key, [Number(key.group)])).get(Number(key.group));
    const compared = compareReading(known, reading, OPTIONS);
    if (compared.verdict !== 'differs') throw new Error(`There is nothing to save: ${compared.verdict}.`);
    await snapshots.save(key, compared.save);
  }
}

describe('explain', () => {
  const key = aKey(184_467);

  beforeAll(async () => {
    const delivered = aRow((row) => {
      row.shipments[0]!.status = 'DELIVERED';
      row.returns = row.returns.slice(1);
    });
    await save(key, read(aRow()), read(delivered, 10 * MINUTE));
    await deployment.marks.advance('bus', key, 7);
    await deployment.marks.advance('queue', key, 4);
    await deployment.marks.noteBehind('queue', key, { sequence: 5, reason: 'too large' });
  });
  afterAll(() => deployment.marks.noteBehind('queue', key, undefined));

  test('shows the known state, missing entities, the last sent events, and all events', async () => {
    const { code, stdout, stderr } = await run('explain', 'acme', '184467', '--utc');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^return group 184467 of source acme, generation mi8x2k\n/);
    expect(stdout).toMatch(/known +events up to number 7, saved twice|saved 2 times/);
    expect(stdout).toMatch(/shipment\/\d+: DELIVERED/);
    expect(stdout).toMatch(/not shown since 2026-11-20 10:25:03/);
    expect(stdout).toMatch(/ {2}ordered +sent through 4; behind at 5: too large\n {2}bus +sent through 7\n/);
    expect(stdout).toMatch(
      /\n {5}7 {2}2026-11-20 10:25:03 {2}poll +shipment \d+: [A-Z_]+ → DELIVERED.*\[not sent: ordered\]/,
    );
  });

  test('shows a single entity, or everything as JSON', async () => {
    const whole = JSON.parse((await run('explain', 'acme', '184467', '--json')).stdout);
    const shipment = whole.snapshot.entities.find((it: { key: string }) =>
      it.key.startsWith('shipment/'),
    ).key;

    const one = JSON.parse((await run('explain', 'acme', '184467', shipment, '--json')).stdout);

    expect(whole.events.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const mark = { destination: 'ordered', sentThrough: 4, behind: '5: too large', skipped: [] };
    expect(whole.marks).toContainEqual(
      expect.objectContaining({ ...mark, failingSince: null, isWebhook: false }),
    );
    expect(one.snapshot.entities).toHaveLength(1);
    expect(one.events.map(({ event }: { event: FeedEvent }) => event.type)).toEqual([
      'shipment.created',
      'shipment.status_changed',
    ]);
  });

  test.each([
    ['an unknown group', ['acme', '5'], 1],
    ['an entity that it never had', ['acme', '184467', 'shipment/1'], 1],
    ['an unknown source', ['nope', '5'], 1],
  ])('reports %s in one line', async (_, args, code) => {
    const ended = await run('explain', ...args);

    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
  });
});

/** Appends events of a group to the ledger and marks them as sent to both destinations. */
async function writeSent(key: GroupKey, ...sequences: readonly number[]): Promise<void> {
  await deployment.write(key, ...sequences);
  for (const name of ['queue', 'bus']) await deployment.marks.advance(name, key, Math.max(...sequences));
}

describe('replay', () => {
  const [one, other] = [aKey(11), aKey(12)];

  beforeAll(async () => {
    await writeSent(one, 1, 2, 3);
    await writeSent(other, 1);
  });

  test('leaves unsent events to the relay, and reports their number', async () => {
    const behind = aKey(13);
    await deployment.write(behind, 1, 2, 3);
    const nothing = await run('replay', 'acme', '--group', '13');
    await deployment.marks.advance('queue', behind, 2);
    await deployment.drain();

    const { code, stderr } = await run('replay', 'acme', '--group', '13');

    expect(nothing.stderr).toMatch(/^there is nothing to replay\nleft to the relay: 3 events/);
    expect(code).toBe(0);
    expect(stderr).toContain('2 of 2 events sent');
    expect(stderr).toContain('left to the relay: 1 event not sent yet');
    expect(await numbersInQueue()).toEqual(['13_1', '13_2']);
  });

  test('sends a group’s events again, with the replay’s id, which it prints', async () => {
    await deployment.drain();

    const { code, stderr } = await run('replay', 'acme', '--group', '11');

    const messages = await deployment.drain();
    const [, id] = /^replay (\w+): 3 events of 1 return group to the ordered subscribers/.exec(stderr) ?? [];
    expect(code).toBe(0);
    expect(stderr).toContain(`replay ${id}: 3 of 3 events sent`);
    expect(messages.map(({ Body = '' }) => JSON.parse(Body))).toEqual(
      [1, 2, 3].map((sequence) => ({ ...anEvent(one, sequence), replayid: id })),
    );
    expect(messages.map(({ Attributes }) => Attributes?.MessageDeduplicationId)).toEqual(
      [1, 2, 3].map((sequence) => `acme_mi8x2k_11_${sequence}_${id}`),
    );
  });

  test('sends all groups’ events of a period to the bus, with a given id', async () => {
    const window = ['--from', '2026-11-20T10:00:00Z', '--until', '2026-11-20T11:00:00+01:00'];
    const past = await run('replay', 'acme', '--to', 'bus', ...window);
    const { code } = await run(
      'replay',
      'acme',
      '--to',
      'bus',
      '--from',
      window[1]!,
      '--replay-id',
      'again-1',
    );

    const own = deployment.published.filter(({ replayid }) => replayid === 'again-1');
    expect(past).toMatchObject({ code: 0, stderr: 'there is nothing to replay\n' });
    expect(code).toBe(0);
    expect(own.map(({ id }) => id)).toEqual(expect.arrayContaining(['acme_mi8x2k_12_1', 'acme_mi8x2k_11_3']));
    expect(own.some(({ type }) => type.startsWith('feed.'))).toBe(false);
  });

  test('of many events needs a confirmation', async () => {
    const groups = Array.from({ length: 11 }, (_, id) => aKey(100 + id));
    for (const key of groups) await writeSent(key, ...Array.from({ length: 91 }, (_, at) => at + 1));
    await deployment.drain();

    const asked = await run('replay', 'acme', '--rate', '5000');
    const sentUnasked = await deployment.drain();
    const meant = await run('replay', 'acme', '--to', 'bus', '--rate', '5000', '--replay-id', 'all', '--yes');

    // A busy machine shows the progress of its search before.
    expect(asked).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*--yes.*\n$/m),
    });
    expect(sentUnasked).toEqual([]);
    expect(meant.code).toBe(0);
    expect(deployment.published.filter(({ replayid }) => replayid === 'all').length).toBeGreaterThan(1_001);
  });

  test.each([
    ['a time without a zone', ['--from', '2026-11-20T10:00:00']],
    ['an id that is invalid for deduplication', ['--replay-id', 'a b']],
  ])('reports %s in one line', async (_, args) => {
    const ended = await run('replay', 'acme', ...args);

    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
  });
});

describe('redrive', () => {
  const key = aKey(7);

  test('retries, skips the rejected event that is named, and reports it', async () => {
    await deployment.write(key, 1, 3);
    await deployment.put(key, anEvent(key, 2, 'x'.repeat(1_100_000)));

    const first = await run('redrive', 'acme', '7', '--to', 'ordered');
    const sentFirst = await numbersInQueue();
    const again = await run('redrive', 'acme', '--to', 'ordered');
    const wrong = await run('redrive', 'acme', '7', '--to', 'ordered', '--skip', '3', '--yes');
    const stepped = await run('redrive', 'acme', '7', '--to', 'ordered', '--skip', '2', '--yes');
    const sentThen = await numbersInQueue();
    const done = await run('redrive', '--to', 'ordered');
    const replayed = await run('replay', 'acme', '--group', '7');

    expect(first).toMatchObject({ code: 3, stderr: '' });
    expect(first.stdout).toMatch(/^ordered: acme 7: still behind at 2: too large \(\d+ bytes\)\n$/);
    expect(again.stdout).toContain('acme 7: still behind at 2');
    expect(wrong).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('nothing is skipped; still behind at 2'),
    });
    expect(stepped).toMatchObject({ code: 0, stderr: '' });
    expect(stepped.stdout).toBe('ordered: acme 7: skipped 2; all events are sent\n');
    expect([sentFirst, sentThen]).toEqual([['7_1'], ['7_3']]);
    expect(await skipped()).toEqual([
      expect.objectContaining({ destination: 'queue', return_group_id: 7, from_sequence: 2, to_sequence: 2 }),
    ]);
    expect(replayed).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('not all events of return group 7 sent: too large'),
    });
    expect(done).toEqual({ code: 0, stdout: 'nothing is behind\n', stderr: '' });
  });

  test('does not skip an event without a group', async () => {
    const ended = await run('redrive', 'acme', '--skip', '2', '--yes');

    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
  });
});

describe('forget', () => {
  test('erases a group, and reports unsent events and the copies that it can’t erase', async () => {
    const key = aKey(184_467);
    const before = (await skipped()).length;

    const asked = await run('forget', 'acme', '184467');
    const { code, stdout, stderr } = await run('forget', 'acme', '184467', '--yes');

    expect(asked).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/add --yes to confirm/),
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Whether the service still shows the return is not known: [^\n]+\n$/),
    });
    expect(stdout).toContain(
      '7 events erased; number 8 tells subscribers (return_group.forgotten); a later event gets number 9; ' +
        '5 to 7 never went to the ordered subscribers',
    );
    expect(stdout).toContain('Not reached: messages in the FIFO queues');
    expect(await deployment.ledger.read(key, 0, 10)).toMatchObject([
      { sequence: 8, event: { type: 'return_group.forgotten' } },
    ]);
    expect(await deployment.marks.load('queue', key)).toBe(7);
    expect((await skipped()).slice(before)).toEqual([
      expect.objectContaining({
        destination: 'queue',
        return_group_id: 184_467,
        from_sequence: 5,
        to_sequence: 7,
      }),
    ]);
  });
});

test('a command names the settings that it lacks', async () => {
  const { MARKS_TABLE: _, ...others } = deployment.environment;

  const ended = await deployment.runWith(others, 'explain', 'acme', '184467');

  expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('MARKS_TABLE') });
});
