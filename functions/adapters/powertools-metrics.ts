// Metrics for CloudWatch, by Powertools: a line of the embedded metric format on stdout, which needs no network and
// can't fail. Namespace and service come from POWERTOOLS_METRICS_NAMESPACE and POWERTOOLS_SERVICE_NAME.
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../../shared/deployment/metrics.ts';
import { claimsOf } from '../../shared/position/claims.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';

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

/** Reports a tick's figures. Reports none if the tick did not have the source: missing data sets off the alarm. */
export function addTickMetrics(metrics: Metrics, { source, state, behindMs }: TickReport): void {
  if (state === undefined || behindMs === undefined) return;
  metrics
    .addDimension('source', source)
    .addMetric(METRICS.secondsBehind, MetricUnit.Seconds, Math.round(behindMs / 1_000))
    .publishStoredMetrics();
  const holds = state.holds.filter(({ phase }) => phase === 'holding');
  metrics.addMetric(METRICS.setAsideGroups, MetricUnit.Count, claimsOf(state).setAside);
  metrics.addMetric(METRICS.holds, MetricUnit.Count, holds.length);
  metrics.publishStoredMetrics();
}
