import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stampFormOf } from '../../../../local/reference-service/showing/stamp-form.ts';

const INSTANT = Date.parse('2026-11-20T23:15:02.123Z') * 1_000 + 456;

describe('stamps', () => {
  it.each([
    ['Z', 'us', '2026-11-20T23:15:02.123456Z'],
    ['+00:00', 'ms', '2026-11-20T23:15:02.123+00:00'],
    ['+05:30', 's', '2026-11-21T04:45:02+05:30'],
    ['-05:00', 'us', '2026-11-20T18:15:02.123456-05:00'],
    ['none', 's', '2026-11-20T23:15:02'],
    ['none:+02:00', 'us', '2026-11-21T01:15:02.123456'],
  ] as const)('are written as %s with %s', (form, precision, text) => {
    expect(stampFormOf({ stampForm: form, stampPrecision: precision }).write(INSTANT)).toBe(text);
  });

  it('are the same instants when they are sent back as bounds', () => {
    const form = fc.constantFrom('Z', '+00:00', '+05:30', '-11:00', 'none', 'none:+02:00', 'none:-05:00');
    fc.assert(
      fc.property(form, fc.integer({ min: -1e15, max: 4e15 }), (zone, instant) => {
        const { read, write } = stampFormOf({ stampForm: zone, stampPrecision: 'us' });

        expect(read(write(instant))).toBe(instant);
      }),
    );
  });

  it('in bounds are read in the zone that they name, in any form of the service', () => {
    const { read } = stampFormOf({ stampForm: 'none:+02:00', stampPrecision: 'us' });

    expect(read('2026-11-20T23:15:02.123456Z')).toBe(INSTANT);
    expect(read('yesterday')).toBeUndefined();
  });
});
