import { describe, expect, it } from 'vitest';
import { laterTicks, parseTick } from '../../../functions/poller/tick-message.ts';

describe('a tick message', () => {
  it('names its slot as a time or as milliseconds', () => {
    const byTime = parseTick('{"source":"acme","slot":"2026-11-20T10:15:00Z","opensMinute":true}');
    const byNumber = parseTick(`{"source":"acme","slot":${byTime.slot}}`);

    expect(byTime).toEqual({ source: 'acme', slot: Date.UTC(2026, 10, 20, 10, 15), opensMinute: true });
    expect(byNumber.opensMinute).toBe(false);
  });

  it.each([
    [
      'a source with an invalid name',
      '{"source":"Acme Inc","slot":1}',
      'source must be the name of a source',
    ],
    ['a slot that is not a time', '{"source":"acme","slot":"soon"}', 'slot must be a time in ISO 8601'],
    ['no slot', '{"source":"acme"}', 'slot must be a time in ISO 8601'],
    ['a slot below 0', '{"source":"acme","slot":-1}', 'slot must be a time in ISO 8601'],
    ['a text that is not JSON', 'tick', 'is not a tick: it '],
  ])('is rejected with a one-line message for %s', (_, body, reason) => {
    expect(() => parseTick(body)).toThrow(reason);
    expect(() => parseTick(body)).toThrow(/^A message of the poll queue is not a tick: [^\n]+$/);
  });
});

describe('the later ticks of a minute', () => {
  it('do not exist for an interval of a minute or more', () => {
    expect(laterTicks(60_000)).toEqual([]);
    expect(laterTicks(300_000)).toEqual([]);
  });

  it('are due an interval apart, within the minute', () => {
    expect(laterTicks(20_000)).toEqual([20, 40]);
    expect(laterTicks(25_000)).toEqual([25, 50]);
  });

  it('are at least a second apart', () => {
    expect(laterTicks(200)).toHaveLength(59);
  });
});
