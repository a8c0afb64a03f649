import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEED_GROUP, formatEventId, parseEventId, SOURCE_NAME } from '../../../shared/contract/event-id.ts';

const texts = (pattern: RegExp) => fc.stringMatching(pattern);
const parts = fc.record({
  source: texts(SOURCE_NAME),
  generation: texts(/^[a-z0-9]{1,12}$/),
  group: fc.oneof(fc.maxSafeNat(), fc.constant(FEED_GROUP)),
  sequence: fc.integer({ min: 1, max: 999_999_999_999_999 }),
});

/** Texts that resemble ids. */
const candidates = fc.stringMatching(/^[a-z-]{0,3}_[a-z0-9]{0,13}_(feed|\d{0,17})_\d{0,16}$/);

describe("an event's id", () => {
  it('joins its parts with underscores', () => {
    expect(formatEventId({ source: 'acme', generation: 'mi8x2k', group: 184_467, sequence: 42 })).toBe(
      'acme_mi8x2k_184467_42',
    );
    expect(parseEventId('acme_mi8x2k_feed_1')).toEqual({
      source: 'acme',
      generation: 'mi8x2k',
      group: 'feed',
      sequence: 1,
    });
  });

  it('is parsed into its parts', () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(parseEventId(formatEventId(given))).toEqual(given);
      }),
    );
  });

  it('is valid as the id of a batch entry and the name of an execution', () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(formatEventId(given)).toMatch(/^[A-Za-z0-9_-]{1,80}$/);
      }),
    );
  });

  it('is unique: formatting a parsed id returns it', () => {
    fc.assert(
      fc.property(candidates, (text) => {
        const read = parseEventId(text);

        if (read !== undefined) expect(formatEventId(read)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '',
    'acme_mi8x2k_184467',
    'acme_mi8x2k_184467_0',
    'acme_mi8x2k_184467_01',
    'acme_mi8x2k_0184467_1',
    'acme_mi8x2k_9007199254740993_1',
    'acme_mi8x2k_Feed_1',
    'Acme_mi8x2k_1_1',
    'acme_mi8x2k_1_1\n',
    `${'a'.repeat(31)}_mi8x2k_1_1`,
  ])('is not parsed from %j', (text) => {
    expect(parseEventId(text)).toBeUndefined();
  });
});
