// Runs a scenario with one store to its end: everything must be published, or the feed must report what it can't read.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from './evidence.ts';
import { judge } from './outside-judge.ts';
import { SAID_WITHIN_MS } from './scenario.ts';
import {
  AFTERWARDS_MS,
  FILL_IN_MS,
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
import { askStatus, type StatusReport } from './watch-process.ts';

/** Two cycles. Polls can make each three times as long. */
const WELL_WITHIN_MS = 30_000;
/** A failing row is found by a few cuts of its range, each after two failures. */
const REPORTED_WITHIN_MS = 180_000;
/** Room for three failures in a row (the receiver makes two), with pauses of 5 s, 30 s and 2 min. */
const DELIVERED_WITHIN_MS = 180_000;

export async function runOpen(run: Run): Promise<Outcome> {
  const { scenario, service } = run;
  const problems: Problem[] = [];
  let running = watch(run);
  await waitUntil(() => service.requests.length > 0 || running.hasEnded(), 20_000);
  let silentUntil: number | undefined;
  if (scenario.afterBaseline) {
    const { messages } = running;
    await waitUntil(() => messages.some((message) => message.includes('baseline complete')), 120_000);
    if (scenario.watch?.baseline === 'silent') silentUntil = Date.now();
  }
  service.startChanging();

  const { restart } = scenario;
  const busyMs = scenario.busyMs ?? 25_000;
  await sleep(restart?.afterMs ?? busyMs);
  if (restart) {
    await running.end(restart.signal);
    running = watch(run);
    await sleep(busyMs - restart.afterMs);
  }
  await waitUntil(() => !service.hasDeedsLeft(), 180_000);
  service.stopChanging();
  const stoppedAt = Date.now();

  const evidence = () => gather(run, silentUntil);
  const mayBeSilent = scenario.firstShown || silentUntil ? FILL_IN_MS : 0;
  const isComplete = whenPrinted(
    run,
    () => Date.now() - stoppedAt > mayBeSilent && isAllPublished(evidence()),
  );
  const mayGoOn = patience(run, scenario.expects === 'complete or said' ? SAID_WITHIN_MS : scenario.quietMs);
  let completeAt: number | undefined;
  let said: number | undefined;
  let nextStatus = Date.now() + 5_000;
  while (completeAt === undefined && said === undefined && mayGoOn() && !running.hasEnded()) {
    await sleep(1_000);
    if (isComplete()) completeAt = Date.now();
    if (scenario.expects === 'complete or said' && Date.now() > nextStatus && completeAt === undefined) {
      if ((await askStatus(run.data)).code === 3) said = Date.now();
      nextStatus = Date.now() + 15_000;
    }
  }
  await sleep(AFTERWARDS_MS);
  const { receiver } = run;
  const printed = () => run.runs.flatMap((each) => each.printed);
  await waitUntil(() => receiver?.hasAll(printed()) ?? true, DELIVERED_WITHIN_MS);
  problems.push(...(receiver?.problems(printed()) ?? []));
  const { reports } = scenario;
  const isWell = reports === undefined ? ({ code }: StatusReport) => code === 0 : reported(reports);
  const status =
    said === undefined && completeAt !== undefined
      ? await statusOnce(run, isWell, reports === undefined ? WELL_WITHIN_MS : REPORTED_WITHIN_MS)
      : await askStatus(run.data);
  if (running.hasEnded())
    problems.push({ rule: 'said', text: `watch ended unexpectedly: ${running.messages.at(-1)}` });
  const code = await running.end('SIGINT');
  if (code !== 0) problems.push({ rule: 'said', text: `watch ended with exit code ${code} after Ctrl-C` });

  const verdict = judge(evidence());
  const isMissing = verdict.problems.some(({ rule }) => rule === 'complete');
  problems.push(...verdict.problems.filter(({ rule }) => rule !== 'complete' || said === undefined));
  if (isMissing && status.code !== 3 && scenario.expects === 'complete or said') {
    problems.push({
      rule: 'said',
      text: `not everything was published, and status ends with exit code ${status.code}`,
    });
  }
  if (!isMissing && said === undefined && !isWell(status)) problems.push(unlike(reports, status));
  if (!isMissing) completeAt ??= Date.now();
  return outcomeOf(
    run,
    problems,
    verdict,
    completeAt && completeAt - stoppedAt,
    said && said - run.startedAt,
  );
}

/** Waits for such a status: a row without an id counts as unreadable until a cycle without it ends. */
async function statusOnce(
  run: Run,
  isWell: (status: StatusReport) => boolean,
  withinMs: number,
): Promise<StatusReport> {
  const mayGoOn = patience(run, withinMs);
  let status = await askStatus(run.data);
  while (!isWell(status) && mayGoOn()) {
    await sleep(5_000);
    status = await askStatus(run.data);
  }
  return status;
}

function reported(code: string): (status: StatusReport) => boolean {
  return (status) => status.code === 3 && status.text.includes(`"${code}"`);
}

/** Everything is published, and the status is another than expected. */
function unlike(reports: string | undefined, { code, text }: StatusReport): Problem {
  const expected = reports === undefined ? 'no problem' : reports;
  return {
    rule: 'said',
    text: `everything was published, and status ends with exit code ${code} and not with ${expected}: ${text.slice(0, 400)}`,
  };
}
