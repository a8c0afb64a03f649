import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Evidence, Problem } from './evidence.ts';
import type { PrintedEvent } from './history.ts';
import { SAID_WITHIN_MS, type Scenario } from './hostile-services.ts';
import { judge, type Verdict } from './outside-judge.ts';
import { type OutsideReceiver, startOutsideReceiver } from './outside-receiver.ts';
import { type OutsideService, startOutsideService } from './outside-service.ts';
import { createRandom } from './random.ts';
import { askStatus, type StatusReport, startWatch, type WatchProcess } from './watch-process.ts';

/** The result of a scenario, with figures for its printed line. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly problems: readonly Problem[];
  readonly verdict: Verdict;
  readonly requests: number;
  readonly tookMs: number;
  /** Time from the last change until everything was published. */
  readonly completeAfterMs: number | undefined;
  /** Time from the start until `status` reported that not everything is read. */
  readonly saidAfterMs: number | undefined;
}

const BUDGET = 240;
const SETTLE_MS = 3_000;
const LOOKBACK_MS = 10_000;
/** Two cycles and a look-up. Wrong events would appear within this time. */
const AFTERWARDS_MS = 12_000;
const FILL_IN_MS = 20_000;
/** Two cycles. Polls can make each three times as long. */
const WELL_WITHIN_MS = 30_000;
/** Three failures in a row, 5 s, 30 s and 2 min apart. */
const DELIVERED_WITHIN_MS = 180_000;

export async function runScenario(
  scenario: Scenario,
  seed: number,
  keep: string | undefined,
): Promise<Outcome> {
  const random = createRandom(seed);
  const service = await startOutsideService(scenario.draw(random), random);
  const data = await mkdtemp(join(tmpdir(), 'acceptance-'));
  const receiver = scenario.isForwarded ? await startOutsideReceiver(random) : undefined;
  const run = { scenario, service, receiver, data, startedAt: Date.now(), runs: [] as WatchProcess[] };
  try {
    return await (scenario.expects === 'held' ? runHeld(run, seed) : runOpen(run)).then(async (outcome) => {
      if (keep) await keepEvidence(join(keep, scenario.name), run, outcome);
      return outcome;
    });
  } finally {
    await Promise.all(run.runs.map((watch) => watch.end('SIGKILL')));
    await service.close();
    await receiver?.close();
    await rm(data, { recursive: true, force: true });
  }
}

interface Run {
  readonly scenario: Scenario;
  readonly service: OutsideService;
  readonly receiver: OutsideReceiver | undefined;
  readonly data: string;
  readonly startedAt: number;
  readonly runs: WatchProcess[];
}

function watch({ scenario, service, receiver, data, runs }: Run, url = service.url): WatchProcess {
  const options = {
    'base-url': url,
    source: 'acceptance',
    every: '1s',
    reconcile: '5s',
    settle: '3s',
    lookback: '10s',
    budget: String(BUDGET),
    timeout: '10s',
    for: '8m',
    baseline: 'emit',
    data,
    ...(receiver && { 'forward-to': receiver.url, 'forward-secret': receiver.secret }),
    ...scenario.watch,
  };
  // The user claims that the same store has moved.
  const started = startWatch(options, url === service.url ? [] : ['--moved']);
  runs.push(started);
  return started;
}

async function runOpen(run: Run): Promise<Outcome> {
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
  const status =
    said === undefined && completeAt !== undefined ? await statusOnceWell(run) : await askStatus(run.data);
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
  if (!isMissing && said === undefined) problems.push(...checkWell(status));
  if (!isMissing) completeAt ??= Date.now();
  return outcomeOf(
    run,
    problems,
    verdict,
    completeAt && completeAt - stoppedAt,
    said && said - run.startedAt,
  );
}

/** Waits for a status without problems: a row without an id counts as unreadable until a cycle without it ends. */
async function statusOnceWell(run: Run): Promise<StatusReport> {
  const mayGoOn = patience(run, WELL_WITHIN_MS);
  let status = await askStatus(run.data);
  while (status.code !== 0 && mayGoOn()) {
    await sleep(5_000);
    status = await askStatus(run.data);
  }
  return status;
}

/** Reports a status with a problem, although everything is published and no failure lasts. */
function checkWell({ code, text }: StatusReport): Problem[] {
  return code === 0
    ? []
    : [
        {
          rule: 'said',
          text: `everything was published, and status ends with exit code ${code}: ${text.slice(0, 400)}`,
        },
      ];
}

/** Runs a scenario with two stores. Every line after the restart must be true of the first store. */
async function runHeld(run: Run, seed: number): Promise<Outcome> {
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

function isAllPublished(evidence: Evidence): boolean {
  return judge(evidence).problems.every(({ rule }) => rule !== 'complete');
}

/** Calls `holds` only after new output, or after 10 s without any: judging takes time from the service's process. */
function whenPrinted({ runs }: Run, holds: () => boolean): () => boolean {
  let judged = -1;
  let judgedAt = 0;
  return () => {
    const count = runs.reduce((sum, { printed }) => sum + printed.length, 0);
    if (count === judged && Date.now() - judgedAt < 10_000) return false;
    judged = count;
    judgedAt = Date.now();
    return holds();
  };
}

/**
 * Returns a function that returns whether time is left. On a busy machine the time ends only after the feed also sent the
 * requests that it sends in that time at least, or after some minutes.
 */
function patience({ service }: Run, quietMs = 45_000): () => boolean {
  const startedAt = Date.now();
  const before = service.requests.length;
  return () => {
    const elapsedMs = Date.now() - startedAt;
    const requests = service.requests.length - before;
    return (
      elapsedMs < quietMs || (requests < quietMs / 500 && elapsedMs < Math.max(quietMs, MOST_PATIENCE_MS))
    );
  };
}

const MOST_PATIENCE_MS = 300_000;

function gather({ scenario, service, runs }: Run, silentUntil: number | undefined): Evidence {
  const histories = service.store.histories();
  const shown = (field: string) =>
    Math.min(
      ...histories.flatMap(({ states }) =>
        states.flatMap(({ fields, shownFrom }) => (fields?.[field] == null ? [] : [shownFrom])),
      ),
    );
  return {
    histories,
    stampsOf: service.store.stampsOf,
    printed: runs.flatMap<PrintedEvent>(({ printed }) => printed),
    requestedAt: service.requests.map(({ at }) => at),
    budget: BUDGET,
    settleMs: SETTLE_MS,
    lookbackMs: LOOKBACK_MS,
    silentUntil,
    unreadableMoney: scenario.unreadableMoney ?? false,
    firstShown: (scenario.firstShown ?? []).map((field) => {
      const from = shown(field);
      return { field, from, until: from + FILL_IN_MS };
    }),
  };
}

function outcomeOf(
  { scenario, service, startedAt }: Run,
  problems: readonly Problem[],
  verdict: Verdict,
  completeAfterMs: number | undefined,
  saidAfterMs: number | undefined,
): Outcome {
  const requests = service.requests.length;
  return {
    scenario,
    problems,
    verdict,
    requests,
    tookMs: Date.now() - startedAt,
    completeAfterMs,
    saidAfterMs,
  };
}

async function waitUntil(holds: () => boolean, mostMs: number): Promise<void> {
  const until = Date.now() + mostMs;
  while (!holds() && Date.now() < until) await sleep(500);
}

/** Writes the data that shows whether the feed or the judge is right. */
async function keepEvidence(directory: string, { service, runs }: Run, { problems }: Outcome): Promise<void> {
  await mkdir(directory, { recursive: true });
  const write = (name: string, lines: readonly string[]) =>
    writeFile(join(directory, name), `${lines.join('\n')}\n`);
  const requests = service.requests.map(
    ({ at, outcome, query }) => `${new Date(at).toISOString()} ${outcome} ${query}`,
  );
  const printed = runs.flatMap((watched) => watched.printed);
  await write(
    'problems.txt',
    problems.map(({ rule, text }) => `${rule}: ${text}`),
  );
  await write('requests.txt', requests);
  await write(
    'events.jsonl',
    printed.map(({ line }) => line),
  );
  await write(
    'arrivals.txt',
    printed.map(({ arrivedAt }) => new Date(arrivedAt).toISOString()),
  );
  await write(
    'stderr.txt',
    runs.flatMap(({ messages }) => ['-- start', ...messages]),
  );
  await write(
    'history.jsonl',
    service.store.histories().map((history) => JSON.stringify(history)),
  );
}
