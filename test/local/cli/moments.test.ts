import { afterEach, expect, test } from 'vitest';
import { createMoments, momentsOf } from '../../../local/cli/moments.ts';

const NOW = Date.parse('2026-11-22T03:30:00Z');
const inZone = (zone: string | undefined, now = NOW) => createMoments({ zone, now: () => now });
const { TZ } = process.env;

afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

test('a time is printed in its zone, to the second', () => {
  const at = '2026-11-22T03:25:02.999123Z';

  const printed = ['UTC', 'America/New_York', 'Asia/Kolkata'].map((zone) => inZone(zone).full(at));

  expect(printed).toEqual(['2026-11-22 03:25:02', '2026-11-21 22:25:02', '2026-11-22 08:55:02']);
  expect(inZone('UTC').withAge(at)).toBe('2026-11-22 03:25:02 (5 min ago)');
  expect(inZone('UTC').age(at)).toBe('5 min');
});

test('milliseconds and texts with any offset are the same times', () => {
  const moments = inZone('Europe/Berlin');

  const printed = [Date.parse('2026-07-01T22:00:00Z'), '2026-07-01T17:00:00-05:00'].map(moments.full);

  expect(printed).toEqual(['2026-07-02 00:00:00', '2026-07-02 00:00:00']);
});

test('a short time has its date only on another day than today in the zone', () => {
  const [utc, newYork] = [inZone('UTC'), inZone('America/New_York')];
  const [evening, night] = ['2026-11-21T23:59:59Z', '2026-11-22T00:00:00Z'];

  expect([utc.short(evening), utc.short(night)]).toEqual(['2026-11-21 23:59:59', '00:00:00']);
  expect([newYork.short(evening), newYork.short(night)]).toEqual(['18:59:59', '19:00:00']);
  expect(newYork.short('2026-11-21T04:00:00Z')).toBe('2026-11-20 23:00:00');
});

test('the zone has its name and its present offset', () => {
  const summer = Date.parse('2026-07-01T00:00:00Z');

  expect(inZone('UTC').zone).toBe('UTC');
  expect(inZone('Europe/Berlin').zone).toBe('Europe/Berlin, now UTC+01:00');
  expect(inZone('Europe/Berlin', summer).zone).toBe('Europe/Berlin, now UTC+02:00');
  expect(inZone('Europe/London').zone).toBe('Europe/London, now UTC');
});

test('the local zone is that of TZ, and --utc overrules it', () => {
  process.env.TZ = 'America/New_York';

  const [local, utc] = [momentsOf({ utc: false }), momentsOf({ utc: true })];

  expect([local.full(NOW), local.zone]).toEqual(['2026-11-21 22:30:00', 'America/New_York, now UTC-05:00']);
  expect([utc.full(NOW), utc.zone]).toEqual(['2026-11-22 03:30:00', 'UTC']);
});

test('a zone that Node does not know is UTC, and the output names UTC', () => {
  process.env.TZ = 'Nowhere/Land';

  const moments = momentsOf({ utc: false });

  expect([moments.full(NOW), moments.zone]).toEqual(['2026-11-22 03:30:00', 'UTC']);
});
