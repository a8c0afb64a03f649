// Tables that were restored from a backup: the original feed has used numbers after it that are free here. The events
// of the feed itself have no snapshot to stop them, so a skip is reported only where the source's state was created,
// and in its present generation.
import { describe, expect, test } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import { forgetEvents } from '../../../shared/publishing/forget-events.ts';
import { redrive } from '../../../shared/publishing/redrive.ts';
import { sweepLedger } from '../../../shared/publishing/sweep.ts';
import { createPresentGeneration } from '../../../shared/source/present-generation.ts';
import { renewState } from '../../../shared/source/renew-state.ts';
import { createWebhookSender } from '../../../shared/webhooks/webhook-sender.ts';
import { createMemoryEndpointStates } from '../../fakes/memory-endpoint-states.ts';
import { createMemorySourceStates } from '../../fakes/memory-source-states.ts';
import { aState } from '../a-state.ts';
import { aKey } from './an-event.ts';
import { createSetting, FEED } from './setting.ts';

const [A, B] = [aKey(1), aKey(2)];
const QUARTER_MS = 15 * 60_000;

/**
 * Tables of a backup in another place. Of A the queue has event 1; 2 to 4 have expired. The feed has published one
 * event.
 */
async function restoredTables() {
  const setting = createSetting();
  const states = createMemorySourceStates('original');
  const { generation } = A;
  await states.save(aState({ version: 1, mintedIn: 'original', generation }), 0);
  setting.write(A, 1, 5);
  setting.write(B, 1);
  setting.write(FEED, 1);
  await setting.marks.advance('queue', A, 1);
  await setting.marks.advance('queue', FEED, 1);
  states.moveTo('restored');
  const presentGeneration = createPresentGeneration(states);
  const ports = { ...setting.ports, presentGeneration };
  return {
    ...setting,
    ports,
    numbersOfFeed: async () => (await setting.ledger.read(FEED, 0, 10)).map(({ sequence }) => sequence),
    sweep: () => setting.clock.run(sweepLedger(ports, setting.relay, QUARTER_MS)),
    /** Does what `sources restore` does. @returns the new generation */
    async renew() {
      const state = await states.load('acme');
      if (state === undefined) throw new Error('There is no state.');
      const renewed = renewState(state, 'restored', setting.clock.now());
      await states.save(renewed, state.version);
      return renewed.generation;
    },
  };
}

type Restored = Awaited<ReturnType<typeof restoredTables>>;

/** The skips that a generation reports. */
async function reportsOf({ ledger }: Restored, generation: string) {
  const entries = await ledger.read({ ...FEED, generation }, 0, 10);
  return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
}

describe('a sweep', () => {
  test('skips nothing and uses no number until a new generation has begun', async () => {
    const restored = await restoredTables();

    const report = await restored.sweep();

    expect(report).toMatchObject({ waiting: 1, skipped: 0 });
    expect(await restored.numbersOfFeed()).toEqual([1]);
    expect(await restored.marks.load('queue', A)).toBe(1);
    expect(restored.log.lines).toContainEqual({
      level: 'warn',
      message: 'events not skipped',
      fields: expect.objectContaining({
        from: 2,
        to: 4,
        reason: expect.stringContaining('sources restore acme'),
      }),
    });
  });

  test('still sends the events that the backup has', async () => {
    const restored = await restoredTables();

    await restored.sweep();

    expect(restored.arrived(B)).toEqual([1]);
  });

  test('reports a skip of the earlier generation in the new one', async () => {
    const restored = await restoredTables();
    const generation = await restored.renew();

    const report = await restored.sweep();

    expect(report).toMatchObject({ waiting: 0, skipped: 1 });
    expect(restored.arrived(A)).toEqual([5]);
    expect(await restored.numbersOfFeed()).toEqual([1]);
    expect(await reportsOf(restored, generation)).toMatchObject([
      {
        id: `acme_${generation}_feed_1`,
        subject: `feed/skipped-events/queue/1/2-4/${A.generation}`,
        data: {
          generation,
          object: { return_group_id: 1, from_sequence: 2, to_sequence: 4, generation: A.generation },
        },
      },
    ]);
  });
});

describe('a webhook', () => {
  /** Its endpoint rejects event 1 of B for a day, in which it accepts event 1 of A. */
  async function rejectForADay({ ports, clock }: Restored) {
    const send = createWebhookSender({
      ...ports,
      webhook: 'Wms',
      filter: {},
      endpoints: createMemoryEndpointStates(),
      attemptMs: 15_000,
      retriesAtOnce: 2,
      hangsAfterMs: 1_000,
      post: async ({ id }) => ({
        status: id.includes('_2_') ? 422 : 204,
        retryAfter: undefined,
        requestMs: 1,
      }),
    });
    const ring = (key: typeof A) => clock.run(send({ key, sequence: 1 }, 60_000));
    for (let hour = 0; hour < 24; hour += 1) {
      await ring(B);
      await clock.advance(HOUR);
    }
    await ring(A);
    return ring(B);
  }

  test('keeps trying the event that it would skip until a new generation has begun', async () => {
    const restored = await restoredTables();

    const outcome = await rejectForADay(restored);

    expect(outcome).toMatchObject({ isDone: false });
    expect(await restored.marks.load('Wms', B)).not.toBe(1);
    expect(await restored.numbersOfFeed()).toEqual([1]);
  });

  test('reports a skip of the earlier generation in the new one', async () => {
    const restored = await restoredTables();
    const generation = await restored.renew();

    const outcome = await rejectForADay(restored);

    expect(outcome).toEqual({ isDone: true });
    expect(await restored.numbersOfFeed()).toEqual([1]);
    expect((await reportsOf(restored, generation)).map(({ data }) => data.object)).toEqual([
      expect.objectContaining({ destination: 'Wms', return_group_id: 2, generation: B.generation }),
    ]);
  });
});

test('an operator’s skip is rejected with the command that begins a new generation', async () => {
  const { ports, relay, clock, marks } = await restoredTables();

  const redriven = clock.run(redrive(ports, relay, A, 10_000, { stepOver: 2 }));

  await expect(redriven).rejects.toThrow('sources restore acme');
  expect(await marks.load('queue', A)).toBe(1);
});

test('a forgotten group is erased without a report of the events that a destination missed', async () => {
  const { ports, ledger, marks, clock, numbersOfFeed } = await restoredTables();
  const eraser = {
    async erase(key: typeof A, through: number) {
      ledger.expire(key, through);
      return 1;
    },
  };

  const forgotten = await clock.run(forgetEvents({ ...ports, eraser }, A, 5, ['queue'], true));

  expect(forgotten).toEqual({ erased: 1, unsent: [] });
  expect(await marks.load('queue', A)).toBe(5);
  expect(await numbersOfFeed()).toEqual([1]);
});
