import { describe, expect, it } from 'vitest';
import { FAULT_KINDS, type Knobs } from '../../../../local/reference-service/knobs.ts';
import { aService, type ServiceUnderTest, STARTED_AT } from '../a-service.ts';

function path(
  service: ServiceUnderTest,
  asked: string,
  query = '',
  token: string | undefined = service.token,
) {
  return service.service.answer({ path: asked, query: new URLSearchParams(query), token });
}

describe('the service', () => {
  it.each([
    ['401', 401],
    ['403', 403],
    ['404', 404],
    ['500', 500],
  ] as const)('answers a wrong or missing token as configured: %s', (badToken, status) => {
    const service = aService({ knobs: { badToken } });

    const answers = [service.ask('', 'wrong'), path(service, '/v2/return-groups', '', '')];

    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
    expect(service.ask().status).toBe(200);
  });

  it('may answer a wrong token with an empty list, or with a page to log in', () => {
    const empty = aService({ knobs: { badToken: 'empty' } }).ask('', 'wrong');
    const html = aService({ knobs: { badToken: 'html' } }).ask('', 'wrong');

    expect([empty.status, empty.body]).toEqual([200, '[]']);
    expect([html.status, html.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('accepts at most 300 requests in any minute, on all paths together', () => {
    const service = aService();
    const statuses = (count: number) => Array.from({ length: count }, () => service.ask('limit=1').status);

    const early = statuses(100);
    service.control.advance(30_000);
    const late = [...statuses(199), path(service, '/v2/nothing').status];
    const over = service.ask();
    service.control.advance(30_000);
    const again = statuses(101);

    expect(new Set([...early, ...late])).toEqual(new Set([200, 404]));
    expect(over.status).toBe(429);
    expect(over.headers['retry-after']).toBe('30');
    expect(again.filter((status) => status === 200)).toHaveLength(100);
    expect(again.at(-1)).toBe(429);
  });

  it('counts each token separately', () => {
    const service = aService({ knobs: { rateLimit: 2 } });

    for (let asked = 0; asked < 5; asked += 1) service.ask('', 'another');

    expect(service.ask().status).toBe(200);
    expect(service.ask('', 'another').status).toBe(429);
  });

  it.each([
    ['seconds', '60', '"Rate limit exceeded: 1 per 1 minute"'],
    ['date', 'Fri, 20 Nov 2026 10:01:01 GMT', '<h1>429'],
    ['none', undefined, ''],
  ] as const)('sends Retry-After as configured: %s', (retryAfter, expected, body) => {
    const service = aService({ knobs: { rateLimit: 1, retryAfter } });
    service.ask();

    const answer = service.ask();

    expect(answer.headers['retry-after']).toBe(expected);
    expect(answer.body).toContain(body);
  });

  it('sends a correct Date, a Date ahead or none, as configured', () => {
    const dates = (
      [
        {},
        { dateSkewSeconds: 90 },
        { dateSkewSeconds: -3_600 },
        { dateSkewSeconds: 'no Date' },
      ] as Partial<Knobs>[]
    ).map((knobs) => aService({ knobs }).ask().headers.date);

    expect(dates).toEqual([
      'Fri, 20 Nov 2026 10:00:00 GMT',
      'Fri, 20 Nov 2026 10:01:30 GMT',
      'Fri, 20 Nov 2026 09:00:00 GMT',
      undefined,
    ]);
  });

  it('stamps changes and answers by a clock that is behind, as configured', () => {
    const service = aService({ knobs: { clockBehindSeconds: 720 }, groups: 1 });

    const { after } = service.control.create();

    expect(service.ask().headers.date).toBe('Fri, 20 Nov 2026 09:48:00 GMT');
    expect(after?.created_at).toBe(STARTED_AT - 720_000_000);
  });

  it('answers 404 on all other paths', () => {
    const service = aService();

    const answers = ['/v2/return-group', '/v1/return-groups', '/'].map((asked) => path(service, asked));

    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      Array(3).fill([404, '{"detail":"Not Found"}']),
    );
  });

  it('logs requests and answers, without the token', () => {
    const service = aService({ knobs: { rateLimit: 3 } });
    service.ask('limit=5&offset=3');
    service.control.advance(2_000);
    service.control.failNext('500-json');
    service.ask();
    service.ask('limit=x');

    const log = service.control.requests();

    expect(
      log.map(({ at, query, status, rows, fault }) => [at - (log[0]?.at ?? 0), query, status, rows, fault]),
    ).toEqual([
      [0, 'limit=5&offset=3', 200, 5, undefined],
      [2_000_000, '', 500, 0, '500-json'],
      [2_000_000, 'limit=x', 422, 0, undefined],
    ]);
    expect(JSON.stringify(log)).not.toContain(service.token);
  });

  it('fails the next answers with the configured faults, in their order, and no later ones', () => {
    const service = aService();
    for (const kind of FAULT_KINDS) service.control.failNext(kind);
    service.control.failNext('502-html', 2);
    const honest = aService().ask().body;

    const answers = FAULT_KINDS.map((kind) => ({ kind, ...service.ask() }));
    const rest = [service.ask(), service.ask(), service.ask()];

    const byKind = Object.fromEntries(answers.map((answer) => [answer.kind, answer]));
    expect(byKind['429-retry-after']?.headers['retry-after']).toBe('5');
    expect(byKind['429-date']?.headers['retry-after']).toBe('Fri, 20 Nov 2026 10:00:06 GMT');
    expect(byKind['429']?.headers['retry-after']).toBeUndefined();
    expect(byKind['500-html']?.headers['content-type']).toContain('text/html');
    expect(byKind['503-retry-after']?.status).toBe(503);
    expect([byKind.hang?.delivery, byKind.reset?.delivery, byKind['reset-midway']?.delivery]).toEqual([
      'hang',
      'reset',
      'cut',
    ]);
    expect(byKind.slow).toMatchObject({ afterMs: 3_000, body: honest });
    expect(byKind.truncated?.body).toBe(honest.slice(0, Math.floor(honest.length / 2)));
    expect(byKind.html).toMatchObject({ status: 200, delivery: 'whole' });
    expect(() => JSON.parse(byKind['not-json']?.body ?? '')).toThrow();
    expect(byKind.empty).toMatchObject({ status: 200, body: '' });
    expect(byKind['date-missing']).toMatchObject({ body: honest });
    expect(byKind['date-missing']?.headers.date).toBeUndefined();
    expect(byKind['date-skewed']?.headers.date).toBe('Fri, 20 Nov 2026 17:00:00 GMT');
    expect(rest.map((answer) => answer.status)).toEqual([502, 502, 200]);
  });

  it('fails at the configured rate, in the same way for the same seed', () => {
    const knobs = { faultRate: 0.2, faultKinds: ['500-json', 'hang'], rateLimit: 0 } satisfies Partial<Knobs>;
    const faults = (seed: number) => {
      const service = aService({ seed, knobs });
      for (let asked = 0; asked < 500; asked += 1) service.ask('limit=1');
      return service.control.requests().map((request) => request.fault);
    };

    const [first, again, other] = [faults(3), faults(3), faults(4)];

    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    expect(new Set(first)).toEqual(new Set([undefined, '500-json', 'hang']));
    const failed = first.filter((fault) => fault !== undefined).length;
    expect(failed).toBeGreaterThan(70);
    expect(failed).toBeLessThan(130);
  });
});
