// The output of `watch` on terminals of several widths and in pipes.
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createMoments } from '../../../local/cli/moments.ts';
import { createFeedDisplay, type DisplayOptions } from '../../../local/feed/show-feed.ts';
import { COULD_NOT_BE_READ } from '../../../local/feed/watch-source.ts';
import { type FeedEvent, feedEvent } from '../../../shared/contract/event.ts';
import { CHANGE_TYPES } from '../../../shared/contract/event-filter.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import { NOTHING_RECORDED, type TickReport } from '../../../shared/reporting/tick-report.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aState } from '../../contract/sample-states.ts';
import { goldenEvent } from './golden-event.ts';

const NOW = Date.parse('2026-11-20T18:30:05Z');
const HOSTILE = 'UPS\u001b[2J\u009b31m\nDHL';
const settings = sourceSettings.parse({ name: 'acme', baseUrl: 'https://returns.example.com/api' });
const EVENTS: readonly FeedEvent[] = [...CHANGE_TYPES.map((type) => goldenEvent(type)), hostileEvent()];

/** Texts of a store may have any characters, because people and carriers type them. */
function hostileEvent(): FeedEvent {
  const event = goldenEvent('shipment.status_changed');
  const { return_group } = event.data;
  const data = {
    ...event.data,
    object: { ...event.data.object, tracking_number: HOSTILE, status: HOSTILE },
    previous_attributes: { tracking_number: null, status: 'CREATED' },
    return_group: { ...return_group, order: { ...return_group.order, name: HOSTILE } },
  };
  return { ...event, data } as FeedEvent;
}

/** A display on two streams with so many columns, or on pipes. */
function open(columns: number | undefined, options: Partial<DisplayOptions> = {}) {
  const [stdout, stderr] = [openStream(columns), openStream(columns)];
  const display = createFeedDisplay({
    name: settings.name,
    moments: createMoments({ zone: 'Europe/Berlin', now: () => NOW }),
    json: false,
    log: { level: 'info', format: 'text' },
    filter: {},
    streams: { stdout: stdout.stream, stderr: stderr.stream },
    ...options,
  });
  const source = display.source(settings);
  return {
    display: { ...display, start: source.onStart ?? (() => {}), showReport: source.onReport },
    async printEvents() {
      for (const event of EVENTS) await display.showEvent(event);
    },
    printed: stdout.written,
    logged: stderr.written,
  };
}

function openStream(columns: number | undefined) {
  const through = new PassThrough();
  let written = '';
  through.on('data', (chunk) => {
    written += chunk;
  });
  const stream = Object.assign(through, { isTTY: columns !== undefined, columns });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    written: () => new Promise<string>((resolve) => setImmediate(() => resolve(written))),
  };
}

function linesOf(text: string): string[] {
  return stripVTControlCharacters(text).trimEnd().split('\n');
}

function report(changes: Partial<TickReport> = {}, state: Partial<SourceState> = {}): TickReport {
  return {
    ...{ outcome: 'done', polls: 1, rateLimited: 0, counts: NOTHING_RECORDED, error: undefined, ...changes },
    state: aState('acme', 1, { baselineAt: NOW * MILLISECOND, ...state }),
  } as TickReport;
}

/** A baseline under way. */
function underWay(): Partial<SourceState> {
  const { lanes } = aState('acme');
  const round = { ...beginRound(NOW * MILLISECOND, []), groups: 1_200 };
  return { baselineAt: undefined, lanes: { ...lanes, recent: { ...lanes.recent, round } } };
}

describe('events', () => {
  test.each([60, 80, 120])('fit a terminal of %d columns', async (columns) => {
    const { printEvents, printed } = open(columns);

    await printEvents();

    const lines = linesOf(await printed());
    const rows = lines.filter((line) => /^\d\d:\d\d:\d\d /.test(line));
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
    expect(rows).toHaveLength(EVENTS.length);
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('UPS\\x1b[2J\\x9b31m\\nDHL');
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
  });

  test('are one line each in a pipe, with their date and the name of the zone', async () => {
    const { printEvents, printed } = open(undefined);

    await printEvents();

    const [header, ...rows] = (await printed()).trimEnd().split('\n');
    expect(header).toMatch(/^time .* change \(times in Europe\/Berlin, now UTC\+01:00\)$/);
    expect(rows).toHaveLength(EVENTS.length);
    expect(rows.every((row) => row.startsWith('2026-11-20 19:30:05 '))).toBe(true);
    expect(rows.join('')).not.toMatch(/\p{Cc}/u);
  });

  test('are JSON without control characters, which a parser reads as they are', async () => {
    const { printEvents, printed } = open(undefined, { json: true });

    await printEvents();

    const lines = (await printed()).trimEnd().split('\n');
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
    expect(lines.map((line) => feedEvent.parse(JSON.parse(line)))).toEqual(EVENTS);
  });

  test.each([false, true])('are printed only if they are selected (JSON: %s)', async (json) => {
    const { display, printEvents, printed, logged } = open(undefined, {
      json,
      filter: { type: ['shipment.created', 'shipment.status_changed'] },
    });
    display.start(false);
    display.showReport(report());

    await printEvents();
    display.end();

    const lines = linesOf(await printed());
    expect(lines.filter((line) => line.includes('shipment'))).toHaveLength(3);
    expect(lines).toHaveLength(json ? 3 : 4);
    const log = linesOf(await logged());
    expect(log[1]).toMatch(/info {5}acme: printing only shipment\.created, shipment\.status_changed$/);
    expect(log.at(-1)).toMatch(new RegExp(`acme: stopped: 3 of ${EVENTS.length} events$`));
  });
});

describe('log lines', () => {
  test('begin with the address, the zone, and what is announced', async () => {
    const { display, logged } = open(undefined);
    const startedAt = NOW * MILLISECOND;
    display.start(true);

    display.showReport(report({ polls: 0 }, { startedAt }));
    display.showReport(report({}, { startedAt }));

    expect(linesOf(await logged())).toEqual([
      '2026-11-20 19:30:05  info     acme: watching returns.example.com every 60 s; times in Europe/Berlin, now UTC+01:00',
      '2026-11-20 19:30:05  info     acme: publishing changes from now on; the return groups that exist are stored ' +
        'without events (--baseline silent)',
    ]);
  });

  test('of a known source announce nothing, and show the progress from which its baseline continues', async () => {
    const { display, logged } = open(undefined);
    display.start(false);

    display.showReport(report({ polls: 0 }));
    display.showReport(report({}, underWay()));

    const lines = linesOf(await logged());
    expect(lines[0]).toContain('watching returns.example.com');
    expect(lines[1]).toMatch(/acme: the baseline continues after 1200 groups$/);
    expect(lines.join(' ')).not.toContain('announcing');
  });

  test.each([60, 80, 120])('fit a terminal of %d columns, and are in colour', async (columns) => {
    const { display, logged } = open(columns);
    display.start(true);

    display.showReport(report());
    display.log.warn(COULD_NOT_BE_READ, { error: new Error('No connection to returns.example.com.') });

    const text = await logged();
    expect(linesOf(text).filter((line) => line.length > columns)).toEqual([]);
    expect(text).toContain('\u001b[33mwarning\u001b[39m');
    expect(linesOf(text).every((line) => /^(\d\d:\d\d:\d\d | {10}\S)/.test(line))).toBe(true);
  });

  test('count repeats of a failure, and report its end', async () => {
    const { display, logged } = open(undefined);
    const error = new Error('No connection.');
    display.start(false);

    for (let tick = 0; tick < 24; tick += 1) {
      display.showReport(report({ polls: 0, error }));
      display.log.warn(COULD_NOT_BE_READ, { error });
    }
    display.showReport(report());
    display.end();

    expect(linesOf(await logged()).map((line) => line.slice(21))).toEqual([
      'warning  acme: The service could not be read; retrying. No connection.',
      expect.stringMatching(/^info {5}acme: watching /),
      expect.stringMatching(/^info {5}acme: The service is read again\. It failed 24 times in 0 s\.$/),
      'info     acme: stopped: 0 events',
    ]);
  });

  test('are JSON on request, and only of the requested level', async () => {
    const { display, logged } = open(undefined, { log: { level: 'warning', format: 'json' } });
    display.start(true);

    display.showReport(report());
    display.log.warn(`A warning about ${HOSTILE}.`);
    display.end();

    const text = (await logged()).trimEnd();
    expect(text).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(text)).toEqual({
      time: '2026-11-20T18:30:05.000Z',
      level: 'warning',
      source: 'acme',
      message: `A warning about ${HOSTILE}.`,
    });
  });
});

describe('posts to a URL', () => {
  const url = new URL('http://127.0.0.1:3000/hook');
  const [event] = EVENTS as [FeedEvent];
  const SECRET = 'The signing secret: npx --no returns-feed webhooks secret --data state';
  const refused = { failure: 'ECONNREFUSED', requestMs: 1 };
  const answered = (status: number) => ({ status, retryAfter: undefined, requestMs: 2 });

  test('that are accepted have no line of their own but the first, and a failure one until it ends', async () => {
    const { display, logged } = open(undefined);
    const { showDelivery } = display;

    for (const answer of [answered(204), answered(204), refused, refused, refused, answered(200)])
      showDelivery(url, event, answer, SECRET);

    expect(linesOf(await logged()).map((line) => line.slice(21))).toEqual([
      'info     acme: http://127.0.0.1:3000/hook accepts events (204 after 2 ms).',
      'warning  acme: http://127.0.0.1:3000/hook: ECONNREFUSED, nothing listens there. Start the receiver, or correct its port.',
      'info     acme: http://127.0.0.1:3000/hook accepts events (200 after 2 ms). It failed 3 times in 0 s.',
    ]);
  });

  test('that fail with 401 name the way to the secret, and a rejected content its event', async () => {
    const { display, logged } = open(undefined);

    display.showDelivery(url, event, answered(401), SECRET);
    display.showDelivery(url, event, answered(422), SECRET);

    const [first, second] = linesOf(await logged());
    expect(first).toMatch(
      /answered 401, it does not accept the signature\. .* webhooks secret --data state$/,
    );
    expect(second).toContain(`answered 422, it rejects the content (${event.type} ${event.id}).`);
  });
});

test('the progress of a baseline is one line on a terminal, below the rows', async () => {
  const { display, logged, printEvents } = open(80);
  display.start(false);

  display.showReport(report({ polls: 0 }, underWay()));
  await printEvents();
  display.showReport(report());

  const text = await logged();
  expect(text.split('\u001b[2K').length).toBeGreaterThan(EVENTS.length);
  expect(linesOf(text.split('\u001b[2K').at(-1) ?? '').at(-1)).toMatch(/acme: baseline complete: 190 groups/);
});
