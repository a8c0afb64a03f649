import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from './evidence.ts';
import { judge } from './outside-judge.ts';
import { type OutsideService, startOutsideService } from './outside-service.ts';
import { createRandom } from './random.ts';
import {
  AFTERWARDS_MS,
  gather,
  isAllPublished,
  type Outcome,
  outcomeOf,
  patience,
  type Run,
  waitUntil,
  watch,
  whenPrinted,
} from './scenario-run.ts';
import { askStatus, type WatchProcess } from './watch-process.ts';

/** Runs a scenario with two stores. Every line after the restart must be true of the first store. */
export async function runHeld(run: Run, seed: number): Promise<Outcome> {
  const { scenario, service } = run;
  const problems: Problem[] = [];
  const first = watch(run);
  await waitUntil(() => service.requests.length > 0 || first.hasEnded(), 20_000);
  service.startChanging();
  await sleep(scenario.busyMs ?? 15_000);
  service.stopChanging();
  const stoppedAt = Date.now();
  const isComplete = whenPrinted(run, () => isAllPublished(gather(run, undefined)));
  const mayGoOn = patience(run, scenario.quietMs);
  while (!isComplete() && mayGoOn()) await sleep(1_000);
  const completeAfterMs = Date.now() - stoppedAt;
  await first.end('SIGINT');

  const random = createRandom(seed + 1);
  const other = await startOutsideService(scenario.restart?.otherStore?.(random) ?? {}, random);
  let said: number | undefined;
  try {
    const restartedAt = Date.now();
    const second = await startAgain(run, other);
    other.startChanging();
    const mayGoOn = patience({ ...run, service: other }, HELD_MS);
    while (mayGoOn() && said === undefined && !second.hasEnded()) {
      await sleep(5_000);
      if ((await askStatus(run.data)).code === 3) said = Date.now() - restartedAt;
    }
    await sleep(AFTERWARDS_MS);
    if (second.hasEnded())
      problems.push({ rule: 'said', text: `watch ended unexpectedly: ${second.messages.at(-1)}` });
    else await second.end('SIGINT');
    if (said === undefined)
      problems.push({ rule: 'said', text: 'the service shows another store, and status reports no problem' });
  } finally {
    await other.close();
  }
  const verdict = judge(gather(run, undefined));
  problems.push(...verdict.problems);
  return outcomeOf(run, problems, verdict, completeAfterMs, said);
}

const HELD_MS = 40_000;

/** Retries a start that fails on a busy machine before its first request, as a person would. */
async function startAgain(run: Run, other: OutsideService): Promise<WatchProcess> {
  for (let tries = 1; ; tries++) {
    const started = watch(run, other.url);
    await waitUntil(() => other.requests.length > 0 || started.hasEnded(), 60_000);
    if (!started.hasEnded() || other.requests.length > 0 || tries === 4) return started;
  }
}
