// When a webhook's event is skipped: after a day in which the endpoint rejected its content, and accepted others.
import { describe, expect, it } from 'vitest';
import { setPaused } from '../../../local/operating/pause-webhook.ts';
import type { EventFilter } from '../../../shared/contract/event-filter.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { RingOutcome } from '../../../shared/webhooks/webhook-sender.ts';
import { KEY, OTHER, WEBHOOK, worldWith } from './webhook-world.ts';

/** Tries the event again once an hour; returns the last outcome. */
async function ringHourly(world: ReturnType<typeof worldWith>, hours: number) {
  let last: RingOutcome | undefined;
  for (let hour = 0; hour < hours; hour += 1) {
    await world.clock.advance(HOUR);
    last = await world.ring(KEY, 1);
  }
  return last;
}

describe('an event that the endpoint rejects', () => {
  const refusing = () => {
    const world = worldWith(3);
    world.show(OTHER, 1, 2, 3, 4);
    world.answer = ({ partitionkey, data }) => ({
      status: partitionkey === 'acme/1' && data.sequence === 2 ? 422 : 204,
    });
    return world;
  };

  it('is skipped after a day if other events were accepted meanwhile, and the skip is published', async () => {
    const world = refusing();
    await world.ring(KEY, 1);
    await world.clock.advance(HOUR);
    await world.ring(OTHER, 1);

    expect(await ringHourly(world, 22)).toMatchObject({ isDone: false });
    world.show(OTHER, 5);
    await world.ring(OTHER, 5);
    expect(await ringHourly(world, 1)).toEqual({ isDone: true });

    expect(world.acceptedNumbers(KEY)).toEqual([1, 3]);
    expect(world.shown.get('acme_mi8x2k_feed')).toEqual(new Set([1]));
  });

  it('gets its whole day after an outage of the endpoint that was longer', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    world.answer = () => ({ status: 503 });
    await world.ring(KEY, 1);
    await world.clock.advance(2 * DAY);
    world.answer = () => ({ status: 204 });
    await world.ring(OTHER, 1);
    await world.clock.advance(SECOND);
    world.answer = () => ({ status: 422 });

    expect(await world.ring(KEY, 1)).toMatchObject({ isDone: false });

    world.answer = () => ({ status: 204 });
    await world.clock.advance(HOUR);
    await world.ring(KEY, 1);
    expect(world.acceptedNumbers(KEY)).toEqual([1]);
    expect(world.shown.has('acme_mi8x2k_feed')).toBe(false);
  });

  it.each([409, 500])(
    'gets its whole day after the last answer of another kind, such as %i',
    async (status) => {
      const world = worldWith(1);
      world.show(OTHER, 1);
      let answer = 400;
      world.answer = ({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? answer : 204 });
      await world.ring(KEY, 1);
      await ringHourly(world, 22);
      answer = status;
      await ringHourly(world, 1);
      answer = 400;
      await ringHourly(world, 23);
      await world.ring(OTHER, 1);

      expect(await ringHourly(world, 1)).toMatchObject({ isDone: false });
      expect(await ringHourly(world, 1)).toEqual({ isDone: true });
      expect(world.acceptedNumbers(KEY)).toEqual([]);
    },
  );

  it.each([
    [11, true],
    [12, false],
  ])('after a day, and %i hours after another one was accepted: is it skipped? %s', async (hours, isDone) => {
    const world = refusing();
    await world.ring(KEY, 1);
    await ringHourly(world, 24 - hours);
    await world.ring(OTHER, 1);

    expect(await ringHourly(world, hours)).toMatchObject({ isDone });
  });

  it('is posted while the endpoint rejects every event, even if it accepted one after the first rejection', async () => {
    const world = worldWith(2);
    world.show(OTHER, 1, 2);
    // While processes with a wrong secret, which answer 400, replace the others, one of those still accepts an event.
    world.answer = ({ partitionkey, data }) => ({
      status: partitionkey === 'acme/2' && data.sequence === 1 ? 204 : 400,
    });
    await world.ring(KEY, 1);
    await world.clock.advance(MINUTE);
    await world.ring(OTHER, 1);

    for (let hour = 0; hour < 30; hour += 1) {
      await world.clock.advance(HOUR);
      await world.ring(KEY, 1);
      await world.ring(OTHER, 2);
    }

    expect(world.shown.has('acme_mi8x2k_feed')).toBe(false);
    expect(await world.marks.load(WEBHOOK, KEY)).toBe(0);
  });

  it('gets its whole day, even if an earlier release left the time of the event before', async () => {
    const world = refusing();
    await world.ring(KEY, 1);
    let calls = 0;
    const marks = {
      ...world.marks,
      async noteFailing(...args: Parameters<typeof world.marks.noteFailing>) {
        calls += 1;
        const failing = await world.marks.noteFailing(...args);
        return failing && calls === 1 ? { ...failing, contentSince: world.clock.now() - 2 * DAY } : failing;
      },
    };
    await world.ring(OTHER, 1);

    const outcome = await world.clock.run(world.sender({ marks })({ key: KEY, sequence: 2 }, 60_000));

    expect(outcome).toMatchObject({ isDone: false });
    expect(calls).toBe(2);
  });

  it('gets a day of its own, even if the mark could not be moved over the rejected event before', async () => {
    const world = worldWith(2);
    world.show(OTHER, 1);
    world.answer = ({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? 422 : 204 });
    await world.ring(KEY, 1);
    await ringHourly(world, 23);
    await world.ring(OTHER, 1);
    await world.clock.advance(HOUR);
    // The filter excludes the first event now.
    const filter: EventFilter = { sources: ['none'] };
    const ledger = {
      ...world.ports.ledger,
      read: async (...args: Parameters<typeof world.ports.ledger.read>) =>
        (await world.ports.ledger.read(...args)).map((entry) =>
          entry.sequence === 2 && 'event' in entry
            ? { ...entry, event: { ...entry.event, source: '/sources/none' } }
            : entry,
        ),
    };
    const marks = { ...world.marks, advance: async () => Promise.reject(new Error('throttled')) };
    const sender = world.sender({ filter, ledger, marks });

    const outcome = await world.clock.run(sender({ key: KEY, sequence: 2 }, 60_000));

    expect(outcome).toMatchObject({ isDone: false });
    expect(world.shown.has('acme_mi8x2k_feed')).toBe(false);
  });

  it('gets its whole day after an outage of the endpoint in which it was not tried', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    let isDown = false;
    world.answer = ({ partitionkey }) => ({ status: isDown ? 500 : partitionkey === 'acme/1' ? 422 : 204 });
    await world.ring(KEY, 1);
    isDown = true;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await world.ring(OTHER, 1);
      await world.clock.advance(6 * HOUR);
    }
    isDown = false;
    await world.ring(OTHER, 1);

    expect(await world.ring(KEY, 1)).toMatchObject({ isDone: false });

    await ringHourly(world, 23);
    world.show(OTHER, 2);
    await world.ring(OTHER, 2);
    expect(await ringHourly(world, 1)).toEqual({ isDone: true });
  });

  it('gets its whole day after an operator resumed the webhook', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    world.answer = ({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? 422 : 204 });
    await world.ring(KEY, 1);
    await setPaused(world.ports, true);
    await world.clock.advance(25 * HOUR);
    await setPaused(world.ports, false);
    await world.ring(OTHER, 1);

    expect(await world.ring(KEY, 1)).toMatchObject({ isDone: false });

    await ringHourly(world, 23);
    world.show(OTHER, 2);
    await world.ring(OTHER, 2);
    expect(await ringHourly(world, 1)).toEqual({ isDone: true });
  });

  it('gets its whole day after a pause that the endpoint asked for', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    let isBusy = false;
    world.answer = ({ partitionkey }) => {
      if (isBusy) return { status: 429, retryAfter: '36000' };
      return { status: partitionkey === 'acme/1' ? 422 : 204 };
    };
    await world.ring(KEY, 1);
    isBusy = true;
    for (let pause = 0; pause < 3; pause += 1) {
      await world.ring(OTHER, 1);
      await world.clock.advance(10 * HOUR);
    }
    isBusy = false;
    await world.ring(OTHER, 1);

    expect(await world.ring(KEY, 1)).toMatchObject({ isDone: false });

    await ringHourly(world, 23);
    world.show(OTHER, 2);
    await world.ring(OTHER, 2);
    expect(await ringHourly(world, 1)).toEqual({ isDone: true });
  });

  it('is posted for as long as the endpoint accepts nothing else', async () => {
    const world = refusing();
    await world.ring(KEY, 1);

    expect(await ringHourly(world, 48)).toMatchObject({ isDone: false });
    expect(world.acceptedNumbers(KEY)).toEqual([1]);
  });

  it('is not skipped because of another event with an attempt that began before the first rejection', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    world.answer = ({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? 422 : 204 });
    world.takesMs = ({ partitionkey }) => (partitionkey === 'acme/1' ? 0 : 10_000);
    const other = world.sender()({ key: OTHER, sequence: 1 }, 60_000);
    await world.clock.advance(SECOND);
    await world.ring(KEY, 1);
    await world.clock.run(other);

    expect(await ringHourly(world, 25)).toMatchObject({ isDone: false });
  });

  it('gets its whole day, even if an older sender notes the failure of the previous event late', async () => {
    const world = worldWith(1);
    world.answer = () => ({ failure: 'timeout' });
    const late = {
      ...world.marks,
      noteFailing: async (...[name, key, failure]: Parameters<typeof world.marks.noteFailing>) => {
        // Meanwhile another sender posts the event, which is accepted.
        await world.marks.advance(name, key, 1);
        return world.marks.noteFailing(name, key, failure);
      },
    };
    await world.clock.run(world.sender({ marks: late })({ key: KEY, sequence: 1 }, 60_000));
    await world.clock.advance(2 * DAY);
    world.show(KEY, 2);
    world.show(OTHER, 1);
    world.answer = ({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? 422 : 204 });
    await world.ring(OTHER, 1);

    expect(await world.ring(KEY, 2)).toEqual({ isDone: false, retryInMs: 5_000, failingForMs: 0 });
    expect(world.shown.has('acme_mi8x2k_feed')).toBe(false);
  });

  it('does not make the endpoint count as failing', async () => {
    const world = refusing();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await world.ring(KEY, 1);
      await world.clock.advance(MINUTE);
    }

    expect(await world.ring(OTHER, 1)).toEqual({ isDone: true });
  });
});
