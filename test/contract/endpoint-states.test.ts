import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndpointState, newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)('the states of endpoints $name', ({ open }) => {
  let stores: Stores;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  test('has none before the first save', async () => {
    expect(await stores.endpoints.load('none')).toBeUndefined();
  });

  test('loads a state as it was saved, with the next version', async () => {
    const state: EndpointState = {
      version: 0,
      startedAt: 1_795_000_000_000_000,
      isPaused: true,
      failures: 7,
      failingSince: 1_795_000_100_000_000,
      pausedUntil: 1_795_000_200_000_000,
      answersInMs: 120,
      leases: [1_795_000_300_000_000, 1_795_000_300_000_000],
      lastAcceptedAt: 1_795_000_050_000_000,
      lastFailureAt: 1_795_000_150_000_000,
      lastFailure: 'answered 503',
    };

    expect(await stores.endpoints.save('whole', state, 0)).toBe('saved');

    expect(await stores.endpoints.load('whole')).toEqual({ ...state, version: 1 });
  });

  test('overwrites only the stored version', async () => {
    const state = newEndpoint(1_795_000_000_000_000);

    expect(await stores.endpoints.save('raced', state, 0)).toBe('saved');
    expect(await stores.endpoints.save('raced', { ...state, failures: 1 }, 0)).toBe('conflict');
    expect(await stores.endpoints.save('raced', { ...state, failures: 2 }, 1)).toBe('saved');

    expect(await stores.endpoints.load('raced')).toMatchObject({ version: 2, failures: 2 });
  });

  test('stores each endpoint independently of others, and of the marks of its webhook', async () => {
    await stores.endpoints.save('apart', newEndpoint(1), 0);

    expect(await stores.endpoints.load('other')).toBeUndefined();
  });
});
