// The report of a probe that queries the reference service over the wire, for each setting of its knobs.
import { afterEach, expect, test } from 'vitest';
import { createHttpsTransport } from '../../../functions/adapters/https-transport.ts';
import { formatProbe } from '../../../local/commands/probe.ts';
import {
  createReferenceService,
  type ReferenceServiceOptions,
} from '../../../local/reference-service/create-reference-service.ts';
import { askWithin } from '../../../shared/probing/ask-within.ts';
import { type ProbeReport, probeService } from '../../../shared/probing/probe-service.ts';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { hastyClock } from '../../contract/stores.ts';

const TOKEN = 'the-token-of-the-store';
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Probed {
  readonly report: ProbeReport;
  /** The number of requests that the service received. */
  readonly received: number;
}

async function probe(
  knobs: ReferenceServiceOptions['knobs'],
  { groups = 700, mostRequests = 40 } = {},
): Promise<Probed> {
  const service = await createReferenceService({
    groups,
    token: TOKEN,
    life: false,
    ...(knobs && { knobs }),
  });
  const transport = createHttpsTransport();
  ends.push(service.close, transport.close);
  const client = createReturnsServiceClient({ baseUrl: service.url, token: TOKEN, transport });
  const report = await probeService(askWithin({ client, clock: hastyClock, mostRequests, pauseMs: 0 }));
  return { report, received: service.control.requests().length };
}

/** Without line breaks. */
function textOf(report: ProbeReport): string {
  return formatProbe('returns.example.com', report).join(' ').replaceAll(/\s+/g, ' ');
}

test('a probe describes an ordinary service with about fifteen requests', async () => {
  const { report, received } = await probe({});

  expect(report).toMatchObject({
    answers: { haveDate: true },
    page: { byDefault: 50, most: 250, beyond: 'clamped', groups: null },
    order: { by: ['created_at descending'], isSameTwice: true, pagesFit: true },
    stamps: { haveZone: true, digits: 6 },
    bounds: { updated: { min: 'included', max: 'included' }, created: { min: 'included', max: 'included' } },
    lookUp: { known: 'found', unknown: 'empty' },
    rows: { unreadable: [], olderThanTheirParts: 0 },
    unlisted: [],
    unanswered: [],
  });
  expect(report.requests).toBe(received);
  expect(received).toBeLessThan(17);
});

test.each([
  [
    'bounds that exclude',
    { bounds: 'exclusive' },
    {
      bounds: {
        updated: { min: 'excluded', max: 'excluded' },
        created: { min: 'excluded', max: 'excluded' },
      },
    },
  ],
  [
    'one bound that excludes',
    { bounds: 'half-open' },
    { bounds: { updated: { min: 'included', max: 'excluded' } } },
  ],
  [
    'limits that are refused',
    { limitMax: 60, limitOver: 'refuse' },
    { page: { most: 50, beyond: 'refused', refused: 100 } },
  ],
  ['a small page', { limitMax: 8 }, { page: { byDefault: 8, most: 8, beyond: 'clamped' } }],
  ['no order', { order: 'random' }, { order: { by: [], isSameTwice: false, pagesFit: false } }],
  [
    'another order',
    { order: 'updated_at:asc' },
    { order: { by: expect.arrayContaining(['updated_at ascending']) } },
  ],
  [
    'stamps without a zone, in seconds',
    { stampForm: 'none:+02:00', stampPrecision: 's' },
    { stamps: { haveZone: false, digits: 0 } },
  ],
  ['no Date', { dateSkewSeconds: 'no Date' }, { answers: { haveDate: false, clockAheadMs: null } }],
  ['new fields', { newFields: true }, { unlisted: expect.arrayContaining([expect.any(String)]) }],
] as const)('a probe reports %s', async (_, knobs, expected) => {
  const { report } = await probe(knobs);

  expect(report).toMatchObject(expected);
});

test('a probe reports unreadable groups by reasons without values', async () => {
  const { report } = await probe({ unreadableEvery: 10, unreadableAs: 'bad-stamp' });

  const { unreadable } = report.rows;
  expect(unreadable.length).toBeGreaterThan(0);
  expect(unreadable.every(({ reason }) => reason.includes('created_at'))).toBe(true);
});

test('a probe reports the number of groups of a store that fits one page', async () => {
  const { report } = await probe({}, { groups: 12 });

  expect(report).toMatchObject({ page: { byDefault: null, most: null, groups: 12 }, unanswered: [] });
});

test('a probe of an empty store concludes nothing, and says why', async () => {
  const { report } = await probe({}, { groups: 0 });

  expect(report).toMatchObject({ page: { groups: 0 }, order: null, stamps: null, lookUp: null });
  expect(textOf(report)).toMatch(
    /groups 0 groups seen not answered order: too few groups to tell: a page has 0 that can be read not answered stamps, bounds of updated_at, bounds of created_at, look-up by id: the service returned no group$/,
  );
});

test('a probe of unreadable groups concludes nothing about their shipments', async () => {
  const { report } = await probe({ unreadableEvery: 1, unreadableAs: 'bad-stamp' });

  const text = textOf(report);
  expect(report.order).toBeNull();
  expect(text).toContain('look-up by id: no group can be read');
  expect(text).not.toContain('shipment is newer');
});

test('a probe keeps its limit of requests, and names the questions that it left out', async () => {
  const { report, received } = await probe({}, { mostRequests: 6 });

  expect(received).toBe(6);
  expect(report.order).not.toBeNull();
  expect(report.unanswered).toEqual(
    ['bounds of updated_at', 'bounds of created_at', 'look-up by id', 'page sizes'].map((question) => ({
      question,
      reason: 'no requests were left',
    })),
  );
});

test('a probe without requests left does not blame the number of groups', async () => {
  const { report } = await probe({}, { mostRequests: 3 });

  const text = textOf(report);
  expect(text).toContain('order not answered');
  expect(text).not.toContain('too few');
});

test('a service that refuses every limit leaves the page sizes open', async () => {
  const { report } = await probe({ limitMax: 8, limitOver: 'refuse' });

  expect(report.unanswered).toContainEqual({
    question: 'page sizes',
    reason: 'the service refuses every limit, down to 50',
  });
});
