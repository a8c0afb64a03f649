// Converts the command-line options of a source to its settings.
import { readBaseUrl } from './service-options.ts';

export interface SourceFlags {
  readonly baseUrl: string;
  readonly every?: number;
  readonly baseline?: 'silent' | 'emit';
  readonly lookback?: number;
  readonly settle?: number;
  readonly reconcile?: number;
  readonly budget?: number;
  readonly timeout?: number;
}

/**
 * The settings; an option that is not given is undefined.
 *
 * @throws UsageError for an invalid base URL
 */
export function settingsOf(flags: SourceFlags) {
  return {
    baseUrl: readBaseUrl(flags.baseUrl),
    intervalMs: flags.every,
    baseline: flags.baseline,
    lookbackMs: flags.lookback,
    settleMs: flags.settle,
    reconcileMs: flags.reconcile,
    requestsPerMinute: flags.budget,
    requestTimeoutMs: flags.timeout,
  };
}
