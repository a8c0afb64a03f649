import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatEventId } from '../../../shared/contract/event-id.ts';
import { formatGroupKey, parseGroupKey } from '../../../shared/recording/group-key.ts';

const keys = fc.record({
  source: fc.stringMatching(/^[a-z0-9-]{1,30}$/),
  generation: fc.stringMatching(/^[a-z0-9]{1,12}$/),
  group: fc.oneof(fc.constant('feed' as const), fc.nat(Number.MAX_SAFE_INTEGER)),
});

test("a group's key is parsed into the parts that it was formatted from", () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(parseGroupKey(formatGroupKey(key))).toEqual(key);
    }),
  );
});

test("a group's key is the beginning of its events' ids", () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(formatEventId({ ...key, sequence: 7 })).toBe(`${formatGroupKey(key)}_7`);
    }),
  );
});

test.each(['', 'acme_mi8x2k', 'acme_mi8x2k_x', 'acme_mi8x2k_1_2', 'Acme_mi8x2k_1', 'source/acme'])(
  '"%s" is not a group key',
  (text) => {
    expect(parseGroupKey(text)).toBeUndefined();
  },
);
