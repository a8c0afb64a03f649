import { describe, expect, it } from 'vitest';
import {
  laterMessages,
  laterTicks,
  longMessage,
  parsePollMessage,
  shardMessage,
} from '../../../functions/poller/tick-message.ts';

const SLOT = Date.UTC(2026, 10, 20, 10, 15);

describe('a message of the poll queues', () => {
  it('is a tick of one source, with what the dispatcher knew of it, in its group', () => {
    const sent = longMessage({ source: 'acme', version: 7, alarm: true, quietAt: SLOT - 60_000 }, SLOT);

    expect(sent.group).toBe('acme');
    expect(parsePollMessage(sent.body)).toEqual({
      tick: {
        ...{ source: 'acme', version: 7, alarm: true, quietAt: SLOT - 60_000 },
        ...{ slot: SLOT, opensMinute: true },
      },
    });
  });

  it('is a shard of sources, delayed until it is due', () => {
    const sources = [{ source: 'acme', version: 7, alarm: false }];
    const shard = { minute: SLOT / 60_000, shard: 3, slot: SLOT + 12_000, sources };

    const sent = shardMessage(shard);

    expect(sent.delaySeconds).toBe(12);
    expect(parsePollMessage(sent.body)).toEqual({ shard });
  });

  it('may be a tick that an operator sends', () => {
    const parsed = parsePollMessage(`{"source":"acme","slot":${SLOT}}`);

    expect(parsed).toEqual({ tick: { source: 'acme', slot: SLOT, opensMinute: false, alarm: false } });
  });

  it.each([
    [
      'a source with an invalid name',
      '{"source":"Acme Inc","slot":1}',
      'source must be the name of a source',
    ],
    ['a slot that is not a time', '{"source":"acme","slot":"soon"}', 'a tick: slot '],
    ['no slot', '{"source":"acme"}', 'a tick: slot '],
    ['a slot below 0', '{"source":"acme","slot":-1}', 'slot must be milliseconds since the epoch'],
    ['a text that is not JSON', 'tick', 'is not a tick: it '],
    ['a shard without a minute', '{"sources":[],"shard":1,"slot":1}', 'is not a shard: minute '],
  ])('is rejected with a one-line message for %s', (_, body, reason) => {
    expect(() => parsePollMessage(body)).toThrow(reason);
    expect(() => parsePollMessage(body)).toThrow(
      /^A message of the poll queue is not a (tick|shard): [^\n]+$/,
    );
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

  it('are sent with their delay, and open no minute', () => {
    const tick = { source: 'acme', version: 7, alarm: true, slot: SLOT, opensMinute: true };

    const [first] = laterMessages(tick, 30_000);

    expect(first).toMatchObject({ delaySeconds: 30, group: 'acme' });
    expect(parsePollMessage(first?.body ?? '')).toEqual({
      tick: { source: 'acme', version: 7, alarm: true, slot: SLOT + 30_000, opensMinute: false },
    });
  });
});
