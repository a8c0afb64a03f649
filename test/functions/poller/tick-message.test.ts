import { describe, expect, it } from 'vitest';
import { laterTicks, tickMessage } from '../../../functions/poller/tick-message.ts';

describe('a tick message', () => {
  it('names its slot as a time or as milliseconds', () => {
    const byTime = tickMessage.parse({ source: 'acme', slot: '2026-11-20T10:15:00Z', opensMinute: true });
    const byNumber = tickMessage.parse({ source: 'acme', slot: byTime.slot });

    expect(byTime).toEqual({ source: 'acme', slot: Date.UTC(2026, 10, 20, 10, 15), opensMinute: true });
    expect(byNumber.opensMinute).toBe(false);
  });

  it('is refused for a source that can have no such name', () => {
    expect(tickMessage.safeParse({ source: 'Acme Inc', slot: 1 }).success).toBe(false);
  });
});

describe('the later ticks of a minute', () => {
  it('are none for an interval of a minute or more', () => {
    expect(laterTicks(60_000)).toEqual([]);
    expect(laterTicks(300_000)).toEqual([]);
  });

  it('are due an interval apart, within the minute', () => {
    expect(laterTicks(20_000)).toEqual([20, 40]);
    expect(laterTicks(25_000)).toEqual([25, 50]);
  });

  it('are a second apart at least', () => {
    expect(laterTicks(200)).toHaveLength(59);
  });
});
