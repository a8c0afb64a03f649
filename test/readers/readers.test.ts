// The readers are fair: with a service that keeps its order, each reader knows every change after its next poll.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OutsideService, startOutsideService } from '../acceptance/outside-service.ts';
import { createRandom } from '../acceptance/random.ts';
import { judgeFreshness } from './judge-freshness.ts';
import { createKnownStates } from './known-states.ts';
import { createPacedClient, type ReaderClock } from './paced-client.ts';
import { createUsualPoller, type PollerOptions, WHOLE_LIST } from './usual-poller.ts';

const TOKEN = 'token-of-a-reader';
const CHANGES = 40;

let service: OutsideService;

beforeEach(async () => {
  service = await startOutsideService({ groups: 130, mostRows: 20, tokens: [TOKEN] }, createRandom(7));
});

afterEach(() => service.close());

test.each<{ name: string; options: PollerOptions }>([
  { name: 'the usual poller', options: { lookbackMs: 0 } },
  {
    name: 'the usual poller with lookback and whole list',
    options: { lookbackMs: 30_000, wholeEveryMs: 86_400_000 },
  },
  { name: 'the reader of the whole list', options: WHOLE_LIST },
])('$name knows every change of a service that keeps its order', async ({ options }) => {
  const { learnt, learn } = createKnownStates();
  const ask = createPacedClient({ url: service.url, token: TOKEN, clock: CLOCK, perMinute: 300, burst: 300 });
  const poll = createUsualPoller(ask, CLOCK, (...state) => learn(...state, CLOCK.now()), options);
  await poll();

  for (let change = 0; change < CHANGES; change += 1) service.store.changeSomething();
  await poll();

  const histories = service.store.histories();
  const freshness = judgeFreshness({ histories, learnt, knowsInitialState: false });
  expect(freshness).toMatchObject({ never: 0, wrong: 0 });
  expect(freshness.changes).toBeGreaterThanOrEqual(CHANGES / 2);
});

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
