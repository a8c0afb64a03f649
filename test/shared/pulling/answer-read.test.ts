import { describe, expect, it } from 'vitest';
import { MILLISECOND } from '../../../shared/instant.ts';
import {
  answerRead,
  LONG_POLL_MS,
  type ReadAnswer,
  type ReadRequest,
} from '../../../shared/pulling/answer-read.ts';
import type { PullStream } from '../../../shared/pulling/pull-stream.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

/** A stream of letters. An offset is how many were read. */
function openLetters(text = '') {
  const state = { text, listeners: new Set<() => void>() };
  const encode = (letters: string) => new TextEncoder().encode(letters);
  const stream: PullStream = {
    contentType: 'text/plain',
    nothing: encode(''),
    end: async () => `at-${state.text.length}`,
    change: (signal) =>
      new Promise((resolve) => {
        state.listeners.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    async read(offset = 'at-0', limit = 2) {
      const start = Number(/^at-(\d+)$/.exec(offset)?.[1] ?? Number.NaN);
      if (Number.isNaN(start)) return 'unknown';
      const letters = state.text.slice(start, start + limit);
      const next = start + letters.length;
      const isUpToDate = next === state.text.length;
      return {
        body: encode(letters),
        isEmpty: letters === '',
        etag: `${start}:${next}`,
        next: `at-${next}`,
        isUpToDate,
      };
    },
  };
  return {
    stream,
    append(letters: string) {
      state.text += letters;
      for (const listener of state.listeners) listener();
    },
  };
}

const clock = createVirtualClock();

function ask(stream: PullStream, query: string, given: Partial<ReadRequest> = {}): Promise<ReadAnswer> {
  const request = { method: 'GET', ifNoneMatch: undefined, signal: new AbortController().signal, ...given };
  return answerRead({ ...request, query: new URLSearchParams(query) }, stream, clock);
}

const textOf = ({ body }: ReadAnswer) => new TextDecoder().decode(body);

describe('a request that reads a stream', () => {
  it('gets a piece, and the offset to go on from', async () => {
    const { stream } = openLetters('abc');

    const first = await ask(stream, '');
    const second = await ask(stream, `offset=${first.headers['stream-next-offset']}`);

    expect([textOf(first), first.headers['stream-up-to-date']]).toEqual(['ab', undefined]);
    expect([textOf(second), second.headers['stream-up-to-date']]).toEqual(['c', 'true']);
    expect(first.headers['cache-control']).toBe('private, no-store');
  });

  it('gets no content at `now`, and the end', async () => {
    const answer = await ask(openLetters('abc').stream, 'offset=now');

    expect([textOf(answer), answer.headers['stream-next-offset'], answer.headers.etag]).toEqual([
      '',
      'at-3',
      undefined,
    ]);
  });

  it('gets 304 for what it has', async () => {
    const { stream } = openLetters('abc');
    const { headers } = await ask(stream, 'offset=at-1');

    const again = await ask(stream, 'offset=at-1', { ifNoneMatch: headers.etag });

    expect([again.status, again.body]).toEqual([304, undefined]);
  });

  it('gets the end alone by HEAD', async () => {
    const answer = await ask(openLetters('abc').stream, '', { method: 'HEAD' });

    expect([answer.status, answer.headers['stream-next-offset'], answer.body]).toEqual([
      200,
      'at-3',
      undefined,
    ]);
  });

  it.each([
    ['offset=', 400],
    ['offset=at-1&offset=at-2', 400],
    ['offset=a,b', 400],
    ['offset=gone', 400],
    ['live=long-poll', 400],
    ['offset=-1&live=sse', 400],
    ['limit=0', 400],
    ['limit=1001', 400],
    ['unknown=1', 200],
  ])('with %s gets %i', async (query, status) => {
    expect((await ask(openLetters('abc').stream, query)).status).toBe(status);
  });

  it('that writes gets 405', async () => {
    const answer = await ask(openLetters().stream, '', { method: 'POST' });

    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a long poll', () => {
  it('gets what is there at once', async () => {
    const answer = await ask(openLetters('abc').stream, 'offset=at-1&live=long-poll');

    expect([answer.status, textOf(answer)]).toEqual([200, 'bc']);
  });

  it('gets what comes', async () => {
    const letters = openLetters('abc');
    const waiting = ask(letters.stream, 'offset=now&live=long-poll');
    await new Promise((resolve) => setImmediate(resolve));

    letters.append('d');

    expect(textOf(await waiting)).toBe('d');
  });

  it('gets 204 and the offset after its time', async () => {
    const waiting = ask(openLetters('abc').stream, 'offset=at-3&live=long-poll');
    await new Promise((resolve) => setImmediate(resolve));

    await clock.advance(LONG_POLL_MS * MILLISECOND);

    const { status, headers } = await waiting;
    expect([status, headers['stream-next-offset'], headers['stream-up-to-date']]).toEqual([
      204,
      'at-3',
      'true',
    ]);
  });

  it('ends when the server ends', async () => {
    const ending = new AbortController();
    const waiting = ask(openLetters('abc').stream, 'offset=at-3&live=long-poll', { signal: ending.signal });

    ending.abort();

    expect((await waiting).status).toBe(204);
  });

  it('has a cursor that grows, also beyond the one that it sends', async () => {
    const { stream } = openLetters('abc');
    const cursorOf = async (query: string) =>
      Number((await ask(stream, `offset=-1&live=long-poll${query}`)).headers['stream-cursor']);
    const first = await cursorOf('');

    const second = await cursorOf(`&cursor=${first}`);

    expect(second).toBeGreaterThan(first);
  });
});
