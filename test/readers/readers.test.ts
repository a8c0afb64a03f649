// The readers are fair: with a service that keeps its order, each reader knows every change after its next poll.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OutsideService, startOutsideService } from '../acceptance/outside-service.ts';
import { createRandom } from '../acceptance/random.ts';
import { createKnownStates, evidenceOf } from './known-states.ts';
import { delaysOf, wrongAt } from './measure.ts';
import { createPacedClient, type ReaderClock } from './paced-client.ts';
import { createUsualPoller, ORDINARY_KINDS } from './usual-poller.ts';

const TOKEN = 'token-of-a-reader';
const CHANGES = 40;

let service: OutsideService;

beforeEach(async () => {
  service = await startOutsideService({ groups: 130, mostRows: 20, tokens: [TOKEN] }, createRandom(7));
});

afterEach(() => service.close());

test.each(ORDINARY_KINDS)(
  'the %s reader knows every change of a service that keeps its order',
  async (kind) => {
    const { learnt, learn } = createKnownStates();
    const ask = createPacedClient({
      url: service.url,
      token: TOKEN,
      clock: CLOCK,
      perMinute: 300,
      burst: 300,
    });
    const poll = createUsualPoller(kind, ask, CLOCK, learn);
    await poll();

    for (let change = 0; change < CHANGES; change += 1) service.store.changeSomething();
    await poll();

    const evidence = evidenceOf(service.store.histories(), learnt);
    const { known, never } = delaysOf(evidence);
    expect([never, wrongAt(Date.now(), evidence)]).toEqual([0, 0]);
    expect(known.length).toBeGreaterThanOrEqual(CHANGES / 2);
  },
);

test('a reader waits after a refusal, and repeats the request', async () => {
  await service.close();
  service = await startOutsideService({ groups: 30, mostRequests: 2, tokens: [TOKEN] }, createRandom(7));
  const clock = createFakeClock();
  const ask = createPacedClient({ url: service.url, token: TOKEN, clock, perMinute: 300, burst: 25 });

  await ask({});
  await ask({});
  await expect(ask({})).rejects.toThrow('refused 100 requests');

  expect(service.requests.filter(({ outcome }) => outcome === '429')).toHaveLength(100);
  expect(clock.slept()).toBeGreaterThanOrEqual(100_000);
});

test('a reader never sends more requests than the service allows', async () => {
  const clock = createFakeClock();
  const ask = createPacedClient({ url: service.url, token: TOKEN, clock, perMinute: 60, burst: 5 });

  const sentAt: number[] = [];
  for (let request = 0; request < 150; request += 1) {
    await ask({ limit: '1' });
    sentAt.push(clock.now());
  }

  const inMinute = sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + 60_000).length);
  expect(Math.max(...inMinute)).toBe(60);
  expect(sentAt.slice(4, 7)).toEqual([0, 1_000, 2_000]);
});

const CLOCK: ReaderClock = { now: Date.now, sleep: async () => {} };

function createFakeClock() {
  let now = 0;
  return {
    now: () => now,
    slept: () => now,
    async sleep(ms: number) {
      now += ms;
    },
  };
}
