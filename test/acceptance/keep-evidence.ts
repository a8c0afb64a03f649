import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome, Run } from './scenario-run.ts';

/** Writes the data that shows whether the feed or the judge is right. */
export async function keepEvidence(
  directory: string,
  { service, runs }: Run,
  { problems }: Outcome,
): Promise<void> {
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
