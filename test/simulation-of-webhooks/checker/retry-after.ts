// The pause that an answer's Retry-After asks for, as the sender must read it.
import { type Attempt, HOUR, SECOND, type Time } from './evidence.ts';

const LEAST: Time = 5 * SECOND;
const MOST: Time = 11 * HOUR;

/** @returns at least the first pause of the schedule, at most 11 hours */
export function askedBy({ retryAfter = '' }: Pick<Attempt, 'retryAfter'>, answeredAt: Time): Time {
  const date = Date.parse(retryAfter) * 1_000;
  const isDate = retryAfter.endsWith('GMT') && !Number.isNaN(date);
  const asked = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND : isDate ? date - answeredAt : 0;
  return Math.min(Math.max(asked, LEAST), MOST);
}
