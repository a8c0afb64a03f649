// Converts the command-line options of a source to its settings.
import { InvalidArgumentError, Option } from 'commander';
import { INCLUDABLE, type Includable } from '../../shared/returns-service/read-included.ts';
import { readBaseUrl } from './service-options.ts';
import { didYouMean } from './suggest.ts';

export interface SourceFlags {
  readonly baseUrl: string;
  readonly every?: number;
  readonly baseline?: 'silent' | 'emit';
  readonly lookback?: number;
  readonly settle?: number;
  readonly reconcile?: number;
  readonly budget?: number;
  readonly timeout?: number;
  readonly include?: Includable[];
}

/** `--include`, for the commands that set up a source. */
export function includeOption(): Option {
  return new Option(
    '--include <fields>',
    `add fields to events, separated by commas: ${INCLUDABLE.join(', ')} (see SECURITY.md)`,
  ).argParser(parseInclude);
}

function parseInclude(text: string): Includable[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !INCLUDABLE.some((known) => known === name));
  if (unknown === undefined) return names as Includable[];
  throw new InvalidArgumentError(
    `Events can't include "${unknown}".${didYouMean(unknown, INCLUDABLE)} They can include ${INCLUDABLE.join(', ')}.`,
  );
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
    include: flags.include,
  };
}
