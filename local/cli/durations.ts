import { InvalidArgumentError } from 'commander';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A timer with more than 2^31 milliseconds fires at once. */
const LONGEST_MS = 24 * UNITS.d;

/**
 * Reads a duration such as `500ms`, `30s`, `5m`, `2h`.
 *
 * @returns milliseconds, above 0, at most 24 days
 */
export function parseDuration(text: string): number {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  const milliseconds = Math.round(Number(amount) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN));
  if (!(milliseconds > 0))
    throw new InvalidArgumentError('Give a duration above 0, such as 500ms, 30s, 5m or 2h.');
  if (milliseconds > LONGEST_MS) throw new InvalidArgumentError('Give a duration of at most 24 days.');
  return milliseconds;
}

/**
 * A duration as text, rounded to one unit. A duration below 0 becomes 0.
 *
 * @param decimals decimal places of seconds
 */
export function formatDuration(milliseconds: number, decimals = 0): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 99.95) return `${seconds.toFixed(decimals)} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 360_000 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** Reads the id of a return group: the service may count from 0. */
export function parseGroupId(text: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id))
    throw new InvalidArgumentError(`"${text}" is no id of a return group: give whole numbers.`);
  return id;
}

/** Reads a whole number of at least 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError('Give a whole number of at least 1.');
  }
  return count;
}
