// Every failure of the client is one error that is safe to log.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import {
  AnswerTooLargeError,
  askedWaitMs,
  ConnectionFailedError,
  RateLimitedError,
  RequestAbortedError,
  RequestTimedOutError,
  ReturnsServiceError,
  TokenRefusedError,
  TruncatedAnswerError,
  UnexpectedStatusError,
  UnreadableAnswerError,
  ValidationRejectedError,
} from '../../../shared/returns-service/errors.ts';
import {
  TransportFailure,
  type TransportFailureKind,
} from '../../../shared/returns-service/http-transport.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { sampleRow } from './sample-rows.ts';
import { type Scripted, scriptedTransport } from './scripted-transport.ts';

/** The body of a 422 (returns-data-service.md, "Errors"). */
const documentedValidationError = z.object({
  detail: z.array(
    z.object({
      /** Where the faulty parameter is, such as `["query", "limit"]`. */
      loc: z.array(z.union([z.string(), z.int()])),
      msg: z.string(),
      type: z.string(),
    }),
  ),
});

const TOKEN = 'tok_1a2b+3c4d/5e';
const NOON = 'Sat, 21 Nov 2026 12:00:00 GMT';
const noon = Date.UTC(2026, 10, 21, 12) * 1_000;

async function failureOf(
  outcome: Scripted | Error,
  query: ReturnGroupsQuery = {},
): Promise<ReturnsServiceError> {
  const { transport } = scriptedTransport(outcome);
  const client = createReturnsServiceClient({
    baseUrl: 'https://returns.example.com',
    token: TOKEN,
    transport,
  });
  const outcomeOfRequest = await client.listReturnGroups(query).catch((error: unknown) => error);
  if (outcomeOfRequest instanceof ReturnsServiceError) return outcomeOfRequest;
  throw new Error('no ReturnsServiceError was thrown', { cause: outcomeOfRequest });
}

describe('a status', () => {
  it.each([401, 403])('%d means that the token was refused', async (status) => {
    const error = await failureOf({ status, headers: { date: NOON }, body: '<html>' });

    expect(error).toBeInstanceOf(TokenRefusedError);
    expect(error).toMatchObject({ status, retryable: false, date: noon });
  });

  it.each([401, 403])(
    '%d with a time to wait is a rate rule of a firewall, not a refused token',
    async (status) => {
      const error = await failureOf({ status, headers: { 'retry-after': '7' } });

      expect(error).toBeInstanceOf(RateLimitedError);
      expect(error).toMatchObject({ retryable: true, retryAfterMs: 7_000 });
      expect(error.message).not.toContain('token');
    },
  );

  it('403 is a rate rule if no request of the budget is left', async () => {
    const left = (count: string) => failureOf({ status: 403, headers: { 'x-ratelimit-remaining': count } });

    expect(await left('0')).toBeInstanceOf(RateLimitedError);
    expect(await left('12')).toBeInstanceOf(TokenRefusedError);
  });

  it('429 has the time to wait', async () => {
    const error = await failureOf({ status: 429, headers: { 'retry-after': '7' }, body: '<html>slow down' });

    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryable: true, retryAfterMs: 7_000, date: undefined });
  });

  it('429 may be without a time to wait', async () => {
    expect(await failureOf({ status: 429, body: '' })).toMatchObject({ retryAfterMs: undefined });
  });

  it.each([
    [500, true],
    [502, true],
    [503, true],
    [408, true],
    [301, false],
    [302, false],
    [404, false],
    [400, false],
    [410, false],
  ])('%d is unexpected (retryable: %s)', async (status, retryable) => {
    const error = await failureOf({ status, headers: { location: `https://elsewhere.test/${TOKEN}` } });

    expect(error).toBeInstanceOf(UnexpectedStatusError);
    expect(error).toMatchObject({ status, retryable });
  });

  it('404 is unexpected even if its body is null', async () => {
    expect(await failureOf({ status: 404, body: 'null' })).toBeInstanceOf(UnexpectedStatusError);
  });

  it('429 may name a moment, which counts from the local time if the answer has no date', async () => {
    const error = await failureOf({
      status: 429,
      headers: { 'retry-after': 'Sat, 21 Nov 2026 12:00:40 GMT' },
    });

    expect(askedWaitMs(error, noon)).toBe(40_000);
    // A local clock that is ahead does not shorten it to nothing.
    expect(askedWaitMs(error, noon + 3_600_000_000)).toBe(15_000);
  });

  it('503 may have a time to wait', async () => {
    const headers = { date: NOON, 'retry-after': 'Sat, 21 Nov 2026 12:00:20 GMT' };

    expect(await failureOf({ status: 503, headers })).toMatchObject({ retryAfterMs: 20_000 });
  });
});

describe('422', () => {
  const rejected = (detail: unknown, query: ReturnGroupsQuery = {}) =>
    failureOf({ status: 422, body: { detail } }, query);

  it('names the rejected parameters, in the service’s words', async () => {
    const { detail } = documentedValidationError.parse({
      detail: [
        { loc: ['query', 'limit'], msg: 'Input should be less than or equal to 37', type: 'less_than_equal' },
        { loc: ['query', 'min_updated_at', 0], msg: 'invalid\n  datetime', type: 'datetime' },
        { loc: ['query', 'limit'], msg: 'again', type: 'x' },
      ],
    });

    const error = await rejected(detail);
    expect(error).toBeInstanceOf(ValidationRejectedError);
    expect(error.retryable).toBe(false);
    expect(error.message).toBe(
      "The service refused the request's parameters (422): limit: Input should be less than or equal to 37; " +
        'min_updated_at: invalid datetime; limit: again.',
    );
  });

  it('does not repeat the personal data of the query', async () => {
    const query = { email: 'Rosalind@quimby.test', orderName: '#1042', trackingCode: '1Z999' };
    const error = await rejected(
      [
        { loc: ['query', 'email'], msg: 'rosalind is no address', type: 'value_error.email' },
        {
          loc: ['query', 'limit'],
          msg: 'not with #1042, %231042, 1z999 or ROSALIND%40QUIMBY.TEST',
          type: 'x',
        },
        { loc: ['query', 'offset'], msg: 'ask someone@else.test', type: 'x' },
        { loc: ['query', 'unheard_of'], msg: 'Rosalind', type: 'Rosalind Quimby' },
      ],
      query,
    );

    expect(inspect(error)).not.toMatch(/rosalind|quimby|1042|1z999|else/i);
    expect(error.message).toContain(
      'email (value_error.email); limit: not with […], […], […] or […]; offset: ask',
    );
  });

  it.each([
    ['many', Array.from({ length: 500 }, () => ({ loc: ['limit'], msg: 'no '.repeat(60), type: 'x' }))],
    ['long', [{ loc: ['limit'], msg: 'x'.repeat(1_000_000), type: 'too_long' }]],
  ])('is shortened if its words are %s', async (_, detail) => {
    expect((await rejected(detail)).message.length).toBeLessThan(1_000);
  });

  it.each([
    undefined,
    'no',
    null,
    {},
    [null, 1, {}],
    [{ loc: 'limit', msg: 1, type: [] }],
    [{ loc: [1, 2] }],
    [{ loc: ['a name with blanks'] }],
  ])('may have any other detail: %j', async (detail) => {
    const error = await rejected(detail);

    expect(error).toBeInstanceOf(ValidationRejectedError);
    expect(error.message).toMatch(/^The service refused the request's parameters \(422\)/);
  });

  it('may have a body that is too large to be read', async () => {
    const detail = [{ loc: ['query', 'limit'], msg: 'x'.repeat(70_000), type: 'value_error' }];

    expect((await rejected(detail)).message).toBe("The service refused the request's parameters (422).");
  });

  it('may have a body that is not JSON', async () => {
    expect(await failureOf({ status: 422, body: '<html>' })).toBeInstanceOf(ValidationRejectedError);
  });
});

describe('a 200', () => {
  it.each([
    ['{}', 'an object, not an array'],
    ['nul', 'not JSON'],
    ['"[]"', 'a text, not an array'],
    ['', 'empty'],
    ['hello', 'not JSON'],
    ['<!DOCTYPE html><p>Please log in', 'a web page (HTML)'],
    ['[]]', 'not JSON'],
    [new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]), 'not UTF-8'],
  ])('must be a JSON array: %j', async (body, words) => {
    const error = await failureOf({ body });

    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toContain(words);
    expect(error.retryable).toBe(true);
  });

  it('is a web page if its content type is HTML', async () => {
    const error = await failureOf({
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: 'Log in',
    });

    expect(error.message).toContain('may lack its path prefix');
  });

  it('is truncated wherever its JSON ends early', async () => {
    const text = JSON.stringify([sampleRow()]).slice(0, 900);

    for (let end = 1; end < text.length; end += 1) {
      expect(await failureOf({ body: text.slice(0, end) })).toBeInstanceOf(TruncatedAnswerError);
    }
  });

  it('is truncated if it is shorter than its content length', async () => {
    const error = await failureOf({ headers: { 'content-length': '3' }, body: '[]' });

    expect(error).toBeInstanceOf(TruncatedAnswerError);
    expect(error.retryable).toBe(true);
  });

  it('does not quote its body in the error', async () => {
    const body = JSON.stringify([sampleRow()]);

    for (const broken of [
      body.slice(0, -1),
      `${body}?`,
      body.replace('"Rosalind', 'Rosalind'),
      `{"a":${body}}`,
    ]) {
      expect(inspect(await failureOf({ body: broken }))).not.toMatch(/Rosalind|quimby|Foundry/);
    }
  });
});

describe('a redirect', () => {
  const to = (location?: string) =>
    failureOf({ status: 307, headers: location === undefined ? {} : { location } });

  it.each([
    ['https://store.test/v2/return-groups/?limit=1', 'should be https://store.test.'],
    ['http://store.test/api/v2/return-groups', 'should be https://store.test/api.'],
    ['https://returns.example.com:8443/v2/return-groups', 'should be https://returns.example.com:8443.'],
    ['https://login.test/sign-in?next=/v2', 'should be the right address on login.test.'],
    [`https://store.test/${TOKEN}/v2/return-groups`, 'should be https://store.test/[…].'],
  ])('to another host names what to change: %s', async (location, words) => {
    const error = await to(location);

    expect(error).toMatchObject({ retryable: false, isFollowed: false });
    expect(error.message).toContain('where the token is not sent');
    expect(error.message).toContain(words);
  });

  it.each([undefined, 'http://[', '?limit=1'])(
    'that leads nowhere else names the path: %s',
    async (location) => {
      const error = await to(location);

      expect(error).toMatchObject({ isFollowed: false });
      expect(error.message).toContain('may lack its path prefix');
    },
  );
});

describe('a transport’s failure', () => {
  it.each([
    ['timeout', RequestTimedOutError, true],
    ['truncated', TruncatedAnswerError, true],
    ['undecodable', UnreadableAnswerError, true],
    ['too-large', AnswerTooLargeError, false],
    ['aborted', RequestAbortedError, false],
    ['connection', ConnectionFailedError, true],
  ] as const)('%s has its own error class', async (kind: TransportFailureKind, errorClass, retryable) => {
    const error = await failureOf(
      new TransportFailure(kind, 'as the transport says', { headers: { date: NOON } }),
    );

    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ retryable, date: noon, cause: { message: 'as the transport says' } });
  });

  it.each([
    ['ENOTFOUND', 'no host of this name can be found', true],
    ['EAI_AGAIN', 'no host of this name can be found', true],
    ['ECONNREFUSED', 'nothing listens', true],
    ['ECONNRESET', 'closed before an answer came', true],
    ['EHOSTUNREACH', "can't be reached", true],
    ['HPE_INVALID_CONSTANT', 'does not speak HTTP', true],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS', true],
    ['CERT_HAS_EXPIRED', 'certificate', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', false],
    ['EWHATEVER', 'it failed', true],
  ])('%s is described in plain words', async (code, words, retryable) => {
    const error = await failureOf(new TransportFailure('connection', 'x', { code }));

    expect(error).toBeInstanceOf(ConnectionFailedError);
    expect(error.retryable).toBe(retryable);
    expect(error.message).toContain('returns.example.com');
    expect(error.message).toContain(words);
  });

  it.each([
    [{ 'content-encoding': 'br' }, 'its Content-Encoding is br.'],
    [{ 'content-encoding': 'gzip, deflate' }, 'its Content-Encoding is gzip, deflate.'],
    [{ 'content-encoding': 'Rosalind Quimby' }, 'its Content-Encoding is unknown.'],
  ])('of decoding names the encoding: %j', async (headers, words) => {
    const error = await failureOf(new TransportFailure('undecodable', 'x', { headers }));

    expect(error.message).toContain(words);
  });

  it.each([
    ['ENOTFOUND', true, 'HTTPS_PROXY names a proxy'],
    ['ERR_PROXY_TUNNEL', true, 'the proxy does not connect to it'],
    ['EHOSTUNREACH', false, 'name it in HTTPS_PROXY'],
    ['ENOTFOUND', undefined, 'found (ENOTFOUND).'],
    ['CERT_HAS_EXPIRED', false, 'trust (CERT_HAS_EXPIRED).'],
  ])('%s with a proxy named: %s', async (code, hasProxy, words) => {
    const error = await failureOf(new TransportFailure('connection', 'x', { code, hasProxy }));

    expect(error.message).toContain(words);
    expect(error.message.includes('HTTPS_PROXY')).toBe(hasProxy !== undefined && !code.startsWith('CERT'));
  });

  it.each([
    [429, RateLimitedError],
    [401, TokenRefusedError],
    [422, ValidationRejectedError],
    [503, UnexpectedStatusError],
  ])('does not hide a status of %d that arrived before', async (status, errorClass) => {
    const headers = status === 401 ? {} : { 'retry-after': '3' };
    const failure = new TransportFailure('truncated', 'x', { status, headers });

    expect(await failureOf(failure)).toBeInstanceOf(errorClass);
  });

  it('of an aborted request is an abort, also if a status arrived before', async () => {
    expect(await failureOf(new TransportFailure('aborted', 'x', { status: 429 }))).toBeInstanceOf(
      RequestAbortedError,
    );
  });

  it('of an unknown kind is a failed connection', async () => {
    const error = await failureOf(new TypeError('fetch failed'));

    expect(error).toBeInstanceOf(ConnectionFailedError);
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });
});

describe('the token', () => {
  const echoes = [TOKEN, encodeURIComponent(TOKEN), JSON.stringify({ token: TOKEN })];

  it.each(echoes)('is in no error, wherever an answer repeats it: %s', async (echo) => {
    const withEcho = Object.assign(new Error(`bad header ${echo}`, { cause: new Error(echo) }), {
      code: echo,
    });
    const outcomes = [
      { status: 422, body: { detail: [{ loc: ['query', 'limit'], msg: `who is ${echo}?`, type: echo }] } },
      {
        status: 422,
        body: { detail: [{ loc: ['query', TOKEN.replaceAll(/\W/g, '')], msg: echo, type: 'x' }] },
      },
      { status: 401, headers: { date: echo, 'www-authenticate': echo }, body: echo },
      { status: 429, headers: { 'retry-after': echo }, body: echo },
      { status: 302, headers: { location: `https://elsewhere.test/?token=${echo}` } },
      { body: echo },
      { body: `["${echo}` },
      { headers: { 'content-type': echo }, body: echo },
      withEcho,
      new TransportFailure('connection', echo, { code: echo, cause: withEcho, headers: { date: echo } }),
    ];

    for (const outcome of outcomes) {
      const error = await failureOf(outcome, { email: 'rosalind@quimby.test' });
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(encodeURIComponent(TOKEN));
      expect(JSON.stringify(error)).not.toContain(TOKEN);
    }
  });
});
