import type { Deployment } from './deployment.ts';

export const TICKS = 'rate(1 minute)';
export const SWEEPS = 'rate(1 day)';
export const MINUTE_MS = 60_000;

/** Triggers schedules, and waits until all work that follows is done. */
export async function comeDue(
  { schedules, settle }: Pick<Deployment, 'schedules' | 'settle'>,
  expression: string,
  atMs: number,
): Promise<void> {
  const due = await schedules.comeDue(expression, new Date(atMs));
  if (due === 0) throw new Error(`Nothing is scheduled at ${expression}.`);
  await settle();
}

/** The start of the current minute, in milliseconds since 1970. */
export function thisMinute(): number {
  return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
}
