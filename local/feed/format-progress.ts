import type { BaselineState } from '../../shared/source-state.ts';

/**
 * How far a baseline is, in one line.
 *
 * @param now milliseconds since the epoch, by the service's clock
 */
export function formatBaseline(baseline: BaselineState, now: number): string {
  const seconds = Math.max(1, now - baseline.startedAt / 1_000) / 1_000;
  const rate = Math.round(baseline.groups / seconds);
  const parts = [
    `baseline: ${baseline.groups.toLocaleString('en')} groups`,
    `${baseline.requests.toLocaleString('en')} requests`,
    `${rate.toLocaleString('en')} groups/s`,
  ];
  const through = baseline.coveredThrough;
  if (through !== undefined)
    parts.push(`created before ${new Date(through / 1_000).toISOString().slice(0, 10)}`);
  return parts.join(', ');
}
