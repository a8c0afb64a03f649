// A probe of a service that fails sometimes, or never answers some questions.
import { afterEach, expect, test } from 'vitest';
import { createHttpsTransport } from '../../../functions/adapters/https-transport.ts';
import { formatProbe } from '../../../local/commands/probe.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import { askWithin } from '../../../shared/probing/ask-within.ts';
import { probeService } from '../../../shared/probing/probe-service.ts';
import {
  createReturnsServiceClient,
  type ReturnsServiceClient,
} from '../../../shared/returns-service/client.ts';
import { ConnectionFailedError, UnexpectedStatusError } from '../../../shared/returns-service/errors.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';

const TOKEN = 'the-token-of-the-store';
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Probes a service; a request fails if `failure` returns an error for it. Returns the report and the waiting times. */
async function probe(failure: (query: ReturnGroupsQuery, number: number) => Error | undefined) {
  const service = await createReferenceService({ groups: 80, token: TOKEN, life: false });
  const transport = createHttpsTransport();
  ends.push(service.close, transport.close);
  const reliable = createReturnsServiceClient({ baseUrl: service.url, token: TOKEN, transport });
  let number = 0;
  const client: ReturnsServiceClient = {
    ...reliable,
    async listReturnGroups(query, options) {
      number += 1;
      const error = failure(query, number);
      if (error !== undefined) throw error;
      return reliable.listReturnGroups(query, options);
    },
  };
  const waits: number[] = [];
  const clock = {
    now: () => Date.now() * 1_000,
    elapsed: () => Math.round(performance.now() * 1_000),
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
  const report = probeService(askWithin({ client, clock, mostRequests: 40, pauseMs: 0 }));
  return { report: await report.catch((error: unknown) => error as Error), waits };
}

function unavailable(retryAfterMs?: number): UnexpectedStatusError {
  const details = { status: 503, retryAfterMs, date: undefined };
  return new UnexpectedStatusError('The service answered with status 503.', details);
}

test('a request that fails once is tried again, after the pause that the service asks for', async () => {
  const { report, waits } = await probe((_, number) =>
    number === 1 ? unavailable() : number === 5 ? unavailable(2_500) : undefined,
  );

  expect(report).toMatchObject({ page: { byDefault: 50 }, lookUp: { known: 'found' }, unanswered: [] });
  expect(waits).toEqual([1_000, 2_500]);
});

test('a question without an answer is named, and the others are answered', async () => {
  const { report, waits } = await probe(({ returnGroupId }) =>
    returnGroupId === undefined ? undefined : unavailable(),
  );

  if (report instanceof Error) throw report;
  expect(report).toMatchObject({ page: { byDefault: 50 }, order: { isSameTwice: true }, lookUp: null });
  expect(report.unanswered).toEqual([
    { question: 'look-up by id', reason: 'The service answered with status 503.' },
  ]);
  expect(waits).toEqual([1_000, 2_000, 4_000]);
  expect(formatProbe('example.com', report)).toContain(
    '  not answered  look-up by id: The service answered with status 503.',
  );
});

test('a service that never answers is an error; without a connection, immediately', async () => {
  const [silent, nowhere] = [
    await probe(() => unavailable()),
    await probe(() => new ConnectionFailedError('No connection.', { retryable: true })),
  ];

  expect([silent.report, silent.waits.length]).toEqual([expect.any(UnexpectedStatusError), 3]);
  expect([nowhere.report, nowhere.waits]).toEqual([expect.any(ConnectionFailedError), []]);
});

test('a probe does not wait for a service that asks for a long pause', async () => {
  const { report, waits } = await probe((_, number) => (number > 1 ? unavailable(60_000) : undefined));

  expect(report).toMatchObject({
    unanswered: expect.arrayContaining([expect.objectContaining({ question: 'order' })]),
  });
  expect(waits).toEqual([]);
});
