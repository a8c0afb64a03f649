// `/health` for load balancers and supervisors, and `/metrics` for Prometheus (OpenMetrics). Both show what `status` shows.
import { Hono } from 'hono';
import { Gauge, type OpenMetricsContentType, Registry } from 'prom-client';
import type { FeedVerdict } from '../status/judge-feed.ts';
import { type SourceStatus, WORST_FIRST } from '../status/source-status.ts';

/** The verdict of `status` with its sources, and what this process has counted. */
export interface FeedHealth {
  load(): Promise<{ readonly verdict: FeedVerdict; readonly sources: readonly SourceStatus[] }>;
  /** The requests of each source since the start of the process. */
  requests(): ReadonlyMap<string, number>;
}

export function healthRoutes(health: FeedHealth): Hono {
  const app = new Hono();

  app.get('/health', async (context) => {
    const { verdict } = await health.load();
    const body = {
      verdict: verdict.verdict,
      concerns: verdict.concerns.map(({ kind, subject, is, since, message }) => ({
        kind,
        subject,
        is,
        since,
        message,
      })),
      unknown: verdict.unknown,
    };
    return context.json(body, verdict.verdict === 'attention' ? 503 : 200, { 'cache-control': 'no-store' });
  });

  app.get('/metrics', async () => {
    const registry = await collect(health);
    return new Response(await registry.metrics(), {
      headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
    });
  });

  return app;
}

/** On one machine no source is paused. */
const VERDICTS = WORST_FIRST.filter((verdict) => verdict !== 'paused');

async function collect(health: FeedHealth) {
  const { verdict, sources } = await health.load();
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `returns_feed_${name}`, help, labelNames, registers: [registry] });

  gauge('well', 'Whether all is well, as `status` says: 1, or 0 if something needs attention.', []).set(
    verdict.verdict === 'attention' ? 0 : 1,
  );
  const counts = gauge('sources', 'How many sources are well, failing, stopped, held or removed.', [
    'verdict',
  ]);
  for (const each of VERDICTS)
    counts.set({ verdict: each }, sources.filter((source) => source.verdict === each).length);

  const polled = gauge('poll_age_seconds', 'Time since the start of the last complete poll.', ['source']);
  const walked = gauge('walk_age_seconds', 'Time since the start of the last walk over all returns.', [
    'source',
  ]);
  const behind = gauge('source_behind_seconds', 'How long the source is not read completely; 0 if it is.', [
    'source',
  ]);
  const held = gauge('holds', 'Holds that stop changes until an operator decides.', ['source']);
  const aside = gauge('returns_set_aside', "Returns that can't be read.", ['source']);
  const requests = gauge('requests', 'Requests to the service since the start of this process.', ['source']);
  for (const status of sources.filter((each) => each.verdict !== 'removed')) {
    const { source } = status;
    if (status.polledAt !== null) polled.set({ source }, ageOf(status.polledAt));
    if (status.walkedAt !== null) walked.set({ source }, ageOf(status.walkedAt));
    behind.set({ source }, status.behindMs / 1_000);
    held.set({ source }, status.held.filter(({ phase }) => phase === 'holding').length);
    aside.set({ source }, status.setAside.length);
    requests.set({ source }, health.requests().get(source) ?? 0);
  }

  const waiting = gauge('returns_waiting', 'Returns with events that a destination has not got.', [
    'destination',
  ]);
  const stuck = gauge('returns_behind', 'Returns whose next event a destination does not accept.', [
    'destination',
  ]);
  const unread = gauge('reader_unread_events', 'Events that a reader of the pull feed has not read.', [
    'reader',
  ]);
  const lag = gauge(
    'reader_lag_seconds',
    'Age of the oldest event that a reader has not read; 0 without one.',
    ['reader'],
  );
  for (const { kind, destination, waiting: count, behind: of, oldestMs } of verdict.destinations) {
    if (kind === 'reader') {
      if (count === null) continue;
      unread.set({ reader: destination }, count);
      lag.set({ reader: destination }, (oldestMs ?? 0) / 1_000);
      continue;
    }
    if (count !== null) waiting.set({ destination }, count);
    if (of !== null) stuck.set({ destination }, of);
  }
  return registry;
}

/** In seconds. @param moment ISO 8601 */
function ageOf(moment: string): number {
  return Math.max(0, (Date.now() - Date.parse(moment)) / 1_000);
}
