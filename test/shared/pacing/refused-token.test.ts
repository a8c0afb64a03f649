import { describe, expect, it } from 'vitest';
import { SourceRefused } from '../../../shared/pacing/errors.ts';
import { UnexpectedStatusError } from '../../../shared/returns-service/errors.ts';
import { page, rateLimited, refused, serverError, setUp } from './requests-world.ts';

it('reads the secret again after any failure: the answer to a wrong token is undocumented', async () => {
  const { poll, reads, sent } = setUp({
    answers: [new UnexpectedStatusError('404', { status: 404, retryAfterMs: undefined }), page()],
    secrets: ['first', 'second'],
  });

  await expect(poll()).rejects.toThrow('404');
  await poll();

  expect(reads).toEqual(['first', 'second']);
  expect(sent.map(({ token }) => token)).toEqual(['first', 'second']);
});

describe('a refused token', () => {
  it('is replaced if the secret has another token by now, with its own client and budget', async () => {
    const { poll, sent, reads, budgets, lines, requests } = setUp({
      answers: [refused(), page()],
      secrets: ['first', 'second'],
    });

    const { accessHash } = await poll();
    await poll();

    expect(accessHash).toBe('access of second');
    expect(sent.map(({ token }) => token)).toEqual(['first', 'second', 'second']);
    expect(reads).toEqual(['first', 'second']);
    expect([...budgets]).toEqual([
      ['first', 1],
      ['second', 1],
    ]);
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'The token was refused; the secret holds another one, which is used from now on.',
        fields: undefined,
      },
    ]);
    expect(requests.counters().poll).toEqual({ sent: 3, retried: 1, rateLimited: 0 });
  });

  it('makes the source rest if the secret still has it', async () => {
    const failure = refused();
    const { poll, sent, reads } = setUp({ answers: [failure] });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(SourceRefused);
    expect(error).toMatchObject({
      name: 'SourceRefused',
      message: 'The service refuses the token that the secret holds.',
      cause: failure,
    });
    expect(sent).toHaveLength(1);
    expect(reads).toHaveLength(2);
  });

  it('makes the source rest if the new token is refused as well', async () => {
    const { poll, sent, reads } = setUp({ answers: [refused()], secrets: ['first', 'second', 'third'] });

    await expect(poll()).rejects.toThrow(SourceRefused);

    expect(sent.map(({ token }) => token)).toEqual(['first', 'second']);
    expect(reads).toEqual(['first', 'second']);
  });

  it('is not sent again before the secret is read', async () => {
    const { poll, sent } = setUp({
      answers: [refused(), page()],
      secrets: ['first', 'first', 'corrected'],
    });
    await expect(poll()).rejects.toThrow(SourceRefused);

    await poll();

    expect(sent.map(({ token }) => token)).toEqual(['first', 'corrected']);
  });

  it('is replaced once for two requests that were refused together', async () => {
    const { clock, requests, list, reads, budgets } = setUp({
      answers: [refused(), refused(), page()],
      secrets: ['first', 'second'],
    });

    await clock.run(Promise.all([requests.send('poll', list), requests.send('reconciliation', list)]));

    expect(reads).toEqual(['first', 'second']);
    expect([...budgets]).toEqual([
      ['first', 1],
      ['second', 1],
    ]);
  });

  it('is not sent again for a second request that was refused with it', async () => {
    const { clock, requests, list, sent } = setUp({ answers: [refused()] });

    const both = await clock.run(
      Promise.allSettled([requests.send('poll', list), requests.send('reconciliation', list)]),
    );

    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(2);
  });

  it('differs from an unreadable secret, which is read again', async () => {
    const failure = new Error('no access');
    const { poll, reads } = setUp({ secrets: [failure, 'first'] });

    await expect(poll()).rejects.toMatchObject({ name: 'TokenUnavailable', cause: failure });
    await poll();

    expect(reads).toEqual(['Error: no access', 'first']);
  });

  it('is in no error and in no log line', async () => {
    const { poll, lines } = setUp({
      answers: [rateLimited(), serverError(), refused()],
      secrets: ['s3cret-a', 's3cret-b'],
    });

    const error = await poll().catch((thrown: unknown) => thrown);

    const shown = JSON.stringify([
      lines,
      error,
      String(error),
      (error as Error).stack,
      (error as Error).cause,
    ]);
    expect(lines).toHaveLength(3);
    expect(shown).not.toContain('s3cret');
  });
});
