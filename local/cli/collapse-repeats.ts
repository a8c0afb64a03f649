// Keeps a lasting fault from filling the terminal. A warning or error that repeats is counted instead of logged, even
// if its measurements differ. The count is logged every few minutes, and when the fault is over.
import type { Log, LogFields } from '../../shared/ports.ts';
import { formatDuration } from './durations.ts';

export type CollapsingLog = ReturnType<typeof collapseRepeats>;

type Level = 'warn' | 'error';

interface Fault {
  readonly level: Level;
  readonly message: string;
  fields: LogFields;
  readonly firstAt: number;
  lastAt: number;
  times: number;
  /** When its last line was logged, and how often it came since. */
  loggedAt: number;
  unlogged: number;
}

const TALLY_EVERY_MS = 300_000;
/**
 * A fault that came more than once is over after this time, or three times its usual interval if that is longer. One
 * that came once is over after TALLY_EVERY_MS.
 */
const QUIET_MS = 60_000;
const QUIET_INTERVALS = 3;
/** At most this many faults are counted at a time; a further one ends the oldest. */
const MOST_FAULTS = 100;

/** @param elapsed milliseconds since some moment */
export function collapseRepeats(log: Log, elapsed: () => number) {
  const faults = new Map<string, Fault>();

  function count(level: Level, message: string, fields: LogFields): void {
    const [key, now] = [keyOf(level, message, fields), elapsed()];
    const known = faults.get(key);
    if (known !== undefined) {
      Object.assign(known, { fields, lastAt: now, times: known.times + 1, unlogged: known.unlogged + 1 });
      return;
    }
    log[level](message, fields);
    const [oldest] = faults;
    if (faults.size >= MOST_FAULTS && oldest !== undefined) conclude(...oldest);
    faults.set(key, {
      ...{ level, message, fields, firstAt: now, lastAt: now, times: 1 },
      ...{ loggedAt: now, unlogged: 0 },
    });
  }

  function logAgain(fault: Fault, now: number): void {
    const { level, message, fields, unlogged, loggedAt } = fault;
    if (unlogged === 0) return;
    log[level](
      `Repeated ${inWords(unlogged)} in the last ${formatDuration(now - loggedAt)}: ${message}`,
      fields,
    );
    Object.assign(fault, { loggedAt: now, unlogged: 0 });
  }

  function conclude(key: string, { times, firstAt, lastAt, message }: Fault): void {
    faults.delete(key);
    if (times > 1)
      log.info(
        `No longer repeating, after ${inWords(times)} in ${formatDuration(lastAt - firstAt)}: ${message}`,
      );
  }

  return {
    debug: log.debug,
    info: log.info,
    warn: (message: string, fields: LogFields = {}) => count('warn', message, fields),
    error: (message: string, fields: LogFields = {}) => count('error', message, fields),
    /** Ends a fault that is known to be over. @param text logged instead of the fault's message */
    end(message: string, text: string): void {
      const ended = [...faults].filter(([, fault]) => fault.message === message);
      for (const [key] of ended) faults.delete(key);
      const times = ended.reduce((sum, [, fault]) => sum + fault.times, 0);
      if (times === 0) return;
      const firstAt = Math.min(...ended.map(([, fault]) => fault.firstAt));
      log.info(`${text} It failed ${inWords(times)} in ${formatDuration(elapsed() - firstAt)}.`);
    },
    /** Logs the counts that are due. Call it every now and then. */
    tally(): void {
      const now = elapsed();
      for (const [key, fault] of [...faults]) {
        if (now - fault.lastAt >= quietAfter(fault)) conclude(key, fault);
        else if (now - fault.loggedAt >= TALLY_EVERY_MS) logAgain(fault, now);
      }
    },
    /** Logs all counts, at the end of the command. */
    flush(): void {
      for (const fault of faults.values()) logAgain(fault, elapsed());
      faults.clear();
    },
  };
}

function quietAfter({ firstAt, lastAt, times }: Fault): number {
  if (times === 1) return TALLY_EVERY_MS;
  return Math.max(QUIET_MS, (QUIET_INTERVALS * (lastAt - firstAt)) / (times - 1));
}

/** Fields that measure something: they differ between entries that say the same. */
const MEASUREMENT = /^(?:dropped|tries|.*Ms)$/;

function keyOf(level: Level, message: string, fields: LogFields): string {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    if (MEASUREMENT.test(name)) return [];
    return [`${name} ${value instanceof Error ? value.message.replaceAll(/\d+/g, '#') : value}`];
  });
  return [level, message, ...parts].join('\n');
}

function inWords(times: number): string {
  if (times <= 2) return times === 1 ? 'once' : 'twice';
  return `${times.toLocaleString('en')} times`;
}
