import { describe, expect, it } from 'vitest';
import { createAccessKeeper } from '../../../shared/pacing/access.ts';
import type { ReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { InvalidTokenError } from '../../../shared/returns-service/errors.ts';

const client: ReturnsServiceClient = {
  listReturnGroups: () => Promise.reject(new Error('not used here')),
};

/** A secret; the test answers its reads, in any order. */
function setUp() {
  const readings: { resolve: (token: string) => void; reject: (error: Error) => void }[] = [];
  const keeper = createAccessKeeper({
    client(token) {
      if (token === 'invalid') throw new InvalidTokenError('copy it once more');
      return client;
    },
    hashAccess: (token) => `access of ${token}`,
    secret: {
      read: () =>
        new Promise((resolve, reject) => {
          readings.push({ resolve, reject });
        }),
    },
  });
  return { keeper, readings };
}

/** An error of a secret store, whose message may quote the secret. */
function named(name: string): Error {
  return Object.assign(new Error('s3cret'), { name });
}

describe('the error for an unreadable secret', () => {
  it.each([
    ['the store’s error', 'ResourceNotFoundException', "can't be read (ResourceNotFoundException): check"],
    ['no error that only begins like one', 'AccessDenied s3cret', "can't be read: check"],
    ['no error that only ends like one', 's3cret AccessDenied', "can't be read: check"],
    ['no error of a general kind', 'Error', "can't be read: check"],
  ])('names %s', async (_, name, message) => {
    const { keeper, readings } = setUp();
    const reading = keeper.current();

    readings[0]!.reject(named(name));

    await expect(reading).rejects.toThrow(message);
  });
});

describe('the token in use', () => {
  it('is read again after a failed read', async () => {
    const { keeper, readings } = setUp();
    const failed = keeper.current();
    readings[0]!.reject(new Error('no access'));
    await expect(failed).rejects.toThrow("The source's token can't be read: check that");

    const next = keeper.current();
    readings[1]!.resolve('token');

    expect((await next).token).toBe('token');
  });

  it('is read again once it is forgotten, and keeps its client if it is unchanged', async () => {
    const { keeper, readings } = setUp();
    const first = keeper.current();
    readings[0]!.resolve('token');
    const before = await first;

    keeper.forget();
    const second = keeper.current();
    readings[1]!.resolve('token');
    keeper.forget();
    const third = keeper.current();
    readings[2]!.resolve('another');

    expect(await second).toBe(before);
    expect((await third).token).toBe('another');
  });

  it('is unchanged if only the whitespace around it in the secret changes', async () => {
    const { keeper, readings } = setUp();
    const first = keeper.current();
    readings[0]!.resolve('token');
    const bare = await first;

    keeper.forget();
    const second = keeper.current();
    readings[1]!.resolve(' \ttoken\r\n');

    expect(await second).toBe(bare);
    expect(bare).toMatchObject({
      token: 'token',
      accessHash: 'access of token',
    });
  });

  it('has no whitespace around it', async () => {
    const { keeper, readings } = setUp();
    const reading = keeper.current();
    readings[0]!.resolve('token\n');

    expect(await reading).toMatchObject({
      token: 'token',
      accessHash: 'access of token',
    });
  });

  it('is kept if an earlier read fails later', async () => {
    const { keeper, readings } = setUp();
    const late = keeper.current();
    keeper.forget();
    const next = keeper.current();

    readings[1]!.resolve('token');
    const access = await next;
    readings[0]!.reject(new Error('too late'));
    await expect(late).rejects.toThrow("The source's token can't be read");

    expect(await keeper.current()).toBe(access);
  });

  it('is still known as refused after it was forgotten', async () => {
    const { keeper, readings } = setUp();
    const reading = keeper.current();
    readings[0]!.resolve('token');
    const refused = await reading;

    keeper.forget();
    const same = keeper.renew(refused);
    await Promise.resolve();
    readings[1]!.resolve('token');
    const isSame = await same;
    keeper.forget();
    const other = keeper.renew(refused);
    await Promise.resolve();
    readings[2]!.resolve('other');

    expect(isSame).toBeUndefined();
    expect((await other)?.token).toBe('other');
  });
});
