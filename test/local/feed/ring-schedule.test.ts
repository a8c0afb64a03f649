import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, test } from 'vitest';
import { createRingSchedule } from '../../../local/feed/ring-schedule.ts';
import type { RingOutcome } from '../../../shared/webhooks/webhook-sender.ts';

/** A schedule with this many returns, each of which is under way until its resolver is called. */
function scheduleOf(returns: number, sleep: () => Promise<void> = () => setImmediate()) {
  const sending: ((outcome: RingOutcome) => void)[] = [];
  const clock = { now: () => 0, elapsed: () => 0, sleep };
  const send = () => new Promise<RingOutcome>((resolve) => sending.push(resolve));
  const schedule = createRingSchedule({ send, clock, atOnce: 10, onError() {} });
  for (let group = 1; group <= returns; group += 1)
    schedule.ring({ key: { source: 'acme', generation: 'mi8x2k', group }, sequence: 1 });
  return { schedule, sending };
}

async function turns(count: number, work: () => void = () => {}): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    work();
    await setImmediate();
  }
}

test('a sweep waits until few returns wait for a sender', async () => {
  const { schedule, sending } = scheduleOf(300);
  let isOver = false;

  const waiting = schedule.untilFewWait().then(() => {
    isOver = true;
  });
  await turns(50);
  const wasOver = isOver;
  await turns(150, () => sending.shift()?.({ isDone: true }));
  await turns(5);

  expect([wasOver, isOver]).toEqual([false, true]);
  await waiting;
});

test('a sweep does not wait for a schedule that is stopped', async () => {
  const { schedule, sending } = scheduleOf(300);
  let isOver = false;

  const waiting = schedule.untilFewWait().then(() => {
    isOver = true;
  });
  const stopping = schedule.stop();
  await turns(5);

  expect(isOver).toBe(true);
  for (const resolve of sending) resolve({ isDone: true });
  await Promise.all([waiting, stopping]);
});

describe('once an endpoint that failed works again', () => {
  const FAILED: RingOutcome = { isDone: false, retryInMs: 1, failingForMs: 70_000 };
  const FOUND_NO_PLACE: RingOutcome = { isDone: false, retryInMs: 1, failingForMs: undefined };
  /** Two returns that failed and are tried again; pauses do not end by themselves. */
  async function twoRetries() {
    const { schedule, sending } = scheduleOf(2, () => new Promise(() => {}));
    for (const resolve of sending.splice(0)) resolve(FAILED);
    await turns(5);
    await schedule.wake();
    const [first, second] = sending.splice(0);
    return { first, second, sending };
  }

  it('a retry that finds no place is tried as soon as another one ends, without its pause', async () => {
    const { first, second, sending } = await twoRetries();

    second?.(FOUND_NO_PLACE);
    await turns(5);
    const before = sending.length;
    first?.({ isDone: true });
    await turns(5);

    expect([before, sending.length]).toEqual([0, 1]);
  });

  it('a retry that fails again keeps its pause', async () => {
    const { first, second, sending } = await twoRetries();

    second?.(FAILED);
    await turns(5);
    first?.({ isDone: true });
    await turns(5);

    expect(sending).toEqual([]);
  });
});
