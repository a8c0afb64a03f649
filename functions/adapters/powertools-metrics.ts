// Metrics for CloudWatch, by Powertools: a line of the embedded metric format on stdout, which needs no network and
// can't fail. Namespace and service come from POWERTOOLS_METRICS_NAMESPACE and POWERTOOLS_SERVICE_NAME.
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../../shared/deployment/metrics.ts';
import type { DispatchFigures } from '../../shared/dispatching/plan-minute.ts';

/** Reports how many groups a destination's relay or sweep left behind. */
export function reportBehind(metrics: Metrics, destination: string, groups: number): void {
  metrics
    .addDimension('destination', destination)
    .addMetric(METRICS.groupsBehind, MetricUnit.Count, groups)
    .publishStoredMetrics();
}

/** Reports how long a return's next event, or a webhook's endpoint, has failed. */
export function reportFailing(metrics: Metrics, webhook: string, failingForMs: number): void {
  metrics
    .addDimension('webhook', webhook)
    .addMetric(METRICS.failingFor, MetricUnit.Seconds, Math.round(failingForMs / 1_000))
    .publishStoredMetrics();
}

/** Reports how many sources a message polled, and how many seconds after it was due. */
export function reportPolled(metrics: Metrics, sources: number, lateMs: number): void {
  metrics.addMetric(METRICS.sourcesPolled, MetricUnit.Count, sources);
  metrics.addMetric(METRICS.secondsLate, MetricUnit.Seconds, lateMs / 1_000);
  metrics.publishStoredMetrics();
}

/** Reports since when a source is not read completely. */
export function reportFreshness(metrics: Metrics, source: string, behindMs: number): void {
  metrics
    .addDimension('source', source)
    .addMetric(METRICS.secondsBehind, MetricUnit.Seconds, Math.round(behindMs / 1_000))
    .publishStoredMetrics();
}

/** Reports the sources as a whole. */
export function reportDispatch(metrics: Metrics, figures: DispatchFigures, invalidEntries: number): void {
  const counts = {
    [METRICS.sources]: figures.sources,
    [METRICS.sourcesDue]: figures.due,
    [METRICS.sourcesBehind]: figures.behind,
    [METRICS.sourcesFailing]: figures.failing,
    [METRICS.holds]: figures.held,
    [METRICS.setAsideGroups]: figures.setAside,
    [METRICS.invalidEntries]: invalidEntries,
  };
  for (const [name, count] of Object.entries(counts)) metrics.addMetric(name, MetricUnit.Count, count);
  metrics.publishStoredMetrics();
}

/** Reports how many readers of the pull feed lag for longer than their alarms allow. */
export function reportReadersBehind(metrics: Metrics, readers: number): void {
  metrics.addMetric(METRICS.readersBehind, MetricUnit.Count, readers);
  metrics.publishStoredMetrics();
}
