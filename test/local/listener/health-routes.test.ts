import { expect, test } from 'vitest';
import { healthRoutes } from '../../../local/listener/health-routes.ts';
import type { FeedVerdict } from '../../../local/status/judge-feed.ts';

const VERDICT: FeedVerdict = {
  ...{ verdict: 'well', concerns: [], unknown: [], polledAt: null, baseline: null, waiting: 0 },
  ...{ isMoreWaiting: false, destinations: [] },
};

const ask = (path: string, verdict: Partial<FeedVerdict>) =>
  healthRoutes({
    load: async () => ({ verdict: { ...VERDICT, ...verdict }, sources: [] }),
    requests: () => new Map(),
  }).request(path);

test.each([
  ['well', 200, 1],
  ['new', 200, 1],
  ['attention', 503, 0],
] as const)('a feed whose verdict is "%s" answers %i', async (verdict, status, well) => {
  const answer = await ask('/health', { verdict });

  const metrics = await (await ask('/metrics', { verdict })).text();
  expect([answer.status, await answer.json()]).toEqual([status, { verdict, concerns: [], unknown: [] }]);
  expect(metrics).toContain(`returns_feed_well ${well}\n`);
});
