import { expect, it } from 'vitest';
import { NO_LEASE, releaseLease, takeLease } from '../../../shared/pacing/lease.ts';

const DURATION = 65_000_000;
const NOW = 1_000_000_000;
const HELD = { owner: 'a', epoch: 4, expiresAt: NOW + DURATION };

it('the first lease can be taken by any process', () => {
  expect(NO_LEASE).toEqual({ owner: '', epoch: 0, expiresAt: 0 });
  expect(takeLease(NO_LEASE, 'a', NOW, DURATION)).toEqual({
    owner: 'a',
    epoch: 1,
    expiresAt: NOW + DURATION,
  });
});

it('a held lease can be taken by another process only once it has expired', () => {
  expect(takeLease(HELD, 'b', HELD.expiresAt - 1, DURATION)).toBeUndefined();
  expect(takeLease(HELD, 'b', HELD.expiresAt, DURATION)).toMatchObject({ owner: 'b', epoch: 5 });
});

it('a held lease can be renewed by its owner at any time, in the same epoch', () => {
  expect(takeLease(HELD, 'a', NOW + 1, DURATION)).toEqual({ ...HELD, expiresAt: NOW + 1 + DURATION });
});

it('a released lease can be taken by any process, and only a new owner begins an epoch', () => {
  const released = releaseLease(HELD);

  expect(takeLease(released, 'b', NOW, DURATION)).toMatchObject({ owner: 'b', epoch: 5 });
  expect(takeLease(released, 'a', NOW, DURATION)).toMatchObject({ owner: 'a', epoch: 4 });
});

it('a lease of a wrong clock, which ends after the longest possible one, can be taken at once', () => {
  const longest = { ...HELD, expiresAt: NOW + 2 * DURATION };
  const absurd = { ...HELD, expiresAt: NOW + 2 * DURATION + 1 };

  expect(takeLease(longest, 'b', NOW, DURATION)).toBeUndefined();
  expect(takeLease(absurd, 'b', NOW, DURATION)).toMatchObject({ owner: 'b', epoch: 5 });
});
