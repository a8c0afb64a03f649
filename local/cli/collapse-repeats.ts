// Keeps a lasting fault from filling the terminal: a warning or error is logged at once, and its repeats are counted,
// even if their measurements differ. A repeat after five minutes is logged with their number.
import type { Log, LogFields } from '../../shared/ports.ts';
import { counted } from './counts.ts';
import { formatDuration } from './durations.ts';

export type CollapsingLog = ReturnType<typeof collapseRepeats>;

interface Fault {
  readonly message: string;
  readonly firstAt: number;
  times: number;
  /** When its last line was logged, and how often it came since. */
  loggedAt: number;
  unlogged: number;
}

const LOG_EVERY_MS = 300_000;
/** At most this many faults are counted at a time; a further one replaces the oldest. */
const MOST_FAULTS = 100;
/** Fields that measure something: they differ between entries that say the same. */
const MEASUREMENT = /^(?:dropped|tries|.*Ms)$/;

/** @param elapsed milliseconds since some moment */
export function collapseRepeats(log: Log, elapsed: () => number) {
  const faults = new Map<string, Fault>();

  const count =
    (level: 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) => {
      const [key, now] = [keyOf(level, message, fields), elapsed()];
      const known = faults.get(key);
      if (known === undefined) {
        log[level](message, fields);
        if (faults.size === MOST_FAULTS) faults.delete(faults.keys().next().value ?? '');
        faults.set(key, { message, firstAt: now, times: 1, loggedAt: now, unlogged: 0 });
        return;
      }
      known.times += 1;
      known.unlogged += 1;
      const passedMs = now - known.loggedAt;
      if (passedMs < LOG_EVERY_MS) return;
      const repeats = `Repeated ${counted(known.unlogged, 'time')} in the last ${formatDuration(passedMs)}`;
      log[level](`${repeats}: ${message}`, fields);
      Object.assign(known, { loggedAt: now, unlogged: 0 });
    };

  return {
    debug: log.debug,
    info: log.info,
    warn: count('warn'),
    error: count('error'),
    /** Ends a fault that is known to be over. @param text logged instead of the fault's message */
    end(message: string, text: string): void {
      const ended = [...faults].filter(([, fault]) => fault.message === message);
      if (ended.length === 0) return;
      for (const [key] of ended) faults.delete(key);
      const times = ended.reduce((sum, [, fault]) => sum + fault.times, 0);
      const firstAt = Math.min(...ended.map(([, fault]) => fault.firstAt));
      log.info(`${text} It failed ${counted(times, 'time')} in ${formatDuration(elapsed() - firstAt)}.`);
    },
  };
}

function keyOf(level: string, message: string, fields: LogFields): string {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    if (MEASUREMENT.test(name)) return [];
    return [`${name} ${value instanceof Error ? value.message.replaceAll(/\d+/g, '#') : value}`];
  });
  return [level, message, ...parts].join('\n');
}
