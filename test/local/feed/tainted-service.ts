// A returns service with a marked text in every place for personal data. It repeats the token and the marked text in
// all of its error messages. Its answers come from the reference service.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInProcessService } from '../../../local/reference-service/in-process-service.ts';
import type { Answer } from '../../../local/reference-service/service/answer.ts';

/** The mark in every text that the feed must not output. Only letters, so that every encoding keeps it. */
export const MARK = 'qzVjxTaint';
export const TOKEN = `${MARK}Token-5f1c`;
const TAINT = `${MARK} Ada ${MARK}@example.test +49 ${MARK}`;

type Json = { [name: string]: unknown };

/** A row with the mark in every personal and free-text field, and in unknown fields. */
function taintRow(row: Json): Json {
  const address = {
    address1: TAINT,
    address2: TAINT,
    city: TAINT,
    province: TAINT,
    zip: TAINT,
    country: TAINT,
  };
  const unknown = { locker: TAINT, deep: { list: [TAINT, { text: TAINT }] }, [`${MARK} @`]: TAINT };
  const each = (name: string, change: Json) =>
    (row[name] as Json[]).map((entity) => ({ ...entity, ...change, ...unknown }));
  return {
    ...row,
    ...unknown,
    customer: { type: 'customer', name: TAINT, email: `${MARK}@example.test`, phone: TAINT, ...unknown },
    order: { ...(row.order as Json), tags: [TAINT], note: TAINT, ...unknown },
    shipments: each('shipments', { origin_address: address, destination_address: address }),
    returns: (row.returns as Json[]).map((item) => ({
      ...item,
      ...unknown,
      return_note: TAINT,
      return_reason_details: { ...(item.return_reason_details as Json), note: TAINT, ...unknown },
      questions_answers: [
        { question_text: TAINT, question_description: TAINT, answers: [TAINT], ...unknown },
      ],
    })),
    exchange_line_items: each('exchange_line_items', { note: TAINT }),
    refund_transactions: each('refund_transactions', { note: TAINT }),
  };
}

const first = (name: string, change: Json) => (row: Json) => ({
  ...row,
  [name]: (row[name] as Json[]).map((entity, index) => (index === 0 ? { ...entity, ...change } : entity)),
});

/** Changes that make a row unreadable, with the mark at that very place. */
const CORRUPTIONS: readonly ((row: Json) => unknown)[] = [
  () => TAINT,
  () => [TAINT],
  (row) => ({ ...row, id: TAINT }),
  (row) => ({ ...row, id: { text: TAINT } }),
  (row) => ({ ...row, created_at: TAINT }),
  (row) => ({ ...row, updated_at: { text: TAINT } }),
  (row) => ({ ...row, returns: TAINT }),
  (row) => ({ ...row, shipments: { text: TAINT } }),
  (row) => ({ ...row, return_method: { text: TAINT } }),
  first('returns', { status: TAINT.repeat(20) }),
  first('returns', { id: TAINT }),
  first('returns', { status: { text: TAINT } }),
  first('shipments', { tracking_number: TAINT.repeat(100) }),
  first('shipments', { return_ids: [TAINT] }),
];

/** Context in another shape than documented: read as absent, and reported as drift. */
const ODDITIES: readonly ((row: Json) => Json)[] = [
  (row) => ({ ...row, customer: TAINT }),
  (row) => ({ ...row, customer: [{ name: TAINT }] }),
  (row) => ({ ...row, order: { ...(row.order as Json), name: { text: TAINT } } }),
  (row) => ({ ...row, order: TAINT }),
  first('returns', { return_reason_details: TAINT }),
  first('returns', { return_reason_details: { value: { text: TAINT }, label: [TAINT] } }),
  first('returns', { total: TAINT }),
];

export function taintedPage(body: string): string {
  const rows = (JSON.parse(body) as Json[]).map(taintRow);
  return JSON.stringify(
    rows.map((row) => {
      const id = Number(row.id);
      if (id % 4 === 0) return CORRUPTIONS[(id / 4) % CORRUPTIONS.length]?.(row);
      return id % 4 === 1 ? (ODDITIES[((id - 1) / 4) % ODDITIES.length]?.(row) ?? row) : row;
    }),
  );
}

const said = `{"detail":"${TAINT}","token":"${TOKEN}"}`;
const page = `<html><title>${TAINT}</title><a href="/?token=${TOKEN}">${TAINT}</a></html>`;
const rejection = JSON.stringify({
  detail: [
    { loc: ['query', 'min_updated_at'], msg: `${TOKEN} is no date`, type: 'value_error' },
    { loc: ['query', 'customer_email', TAINT], msg: TAINT, type: TAINT, input: TAINT, ctx: { token: TOKEN } },
    { loc: ['header', 'X-Service-Api-Token'], msg: TOKEN, type: TOKEN },
  ],
});

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };
const plain = { afterMs: 0, delivery: 'whole' as const };

/** Every kind of failure, with its message. */
export const FAILURES: Readonly<Record<string, Answer>> = {
  '500 with JSON': { ...plain, status: 500, headers: json, body: said },
  '502 with a web page': { ...plain, status: 502, headers: html, body: page },
  '503 that asks for a pause': { ...plain, status: 503, headers: { 'retry-after': '1' }, body: said },
  '503 with a marked pause': { ...plain, status: 503, headers: { 'retry-after': TOKEN }, body: said },
  '429': { ...plain, status: 429, headers: { 'retry-after': '1' }, body: page },
  '422': { ...plain, status: 422, headers: json, body: rejection },
  '422 with text': { ...plain, status: 422, headers: html, body: page },
  '404': { ...plain, status: 404, headers: json, body: said },
  // The host is shown: it is what to correct.
  'a redirect': {
    ...plain,
    status: 302,
    headers: { location: `https://login.test/${MARK}?token=${TOKEN}` },
    body: page,
  },
  '401': { ...plain, status: 401, headers: { 'www-authenticate': TOKEN }, body: said },
  '403': { ...plain, status: 403, headers: html, body: page },
  'a web page': { ...plain, status: 200, headers: html, body: page },
  'a text': { ...plain, status: 200, headers: json, body: TAINT },
  'an object': { ...plain, status: 200, headers: json, body: said },
  'half an answer': { ...plain, status: 200, headers: json, body: `[${said},{"customer":"${TAINT}` },
  'a wrong Date': { ...plain, status: 500, headers: { date: TOKEN }, body: said },
  'a broken encoding': { ...plain, status: 200, headers: { 'content-encoding': 'gzip' }, body: said },
  'a reset': { ...plain, status: 200, headers: {}, body: said, delivery: 'reset' },
  'an answer cut off': { ...plain, status: 200, headers: json, body: said, delivery: 'cut' },
  silence: { ...plain, status: 200, headers: json, body: said, delivery: 'hang' },
};

/** The service on a port of this machine. */
export async function startTaintedService(change: (body: string) => string = taintedPage, groups = 60) {
  const inProcess = createInProcessService({ groups, life: false, token: TOKEN });
  const failures: Answer[] = [];
  let lasting: Answer | undefined;
  const server = createServer((request, response) => {
    const failure = failures.shift() ?? lasting;
    deliver(response, failure ?? answerOf(request));
  });

  function answerOf(request: IncomingMessage): Answer {
    const url = new URL(request.url ?? '', 'http://localhost');
    const token = request.headers['x-service-api-token'];
    const answer = inProcess.service.answer({
      path: url.pathname.replace('/api', ''),
      query: url.searchParams,
      token: typeof token === 'string' ? token : undefined,
    });
    return answer.status === 200 ? { ...answer, body: change(answer.body) } : answer;
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...inProcess,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    /** The next answer fails like this. */
    failNext: (failure: Answer) => void failures.push(failure),
    failOn(failure: Answer | undefined) {
      lasting = failure;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function deliver(response: ServerResponse, { status, headers, body, delivery }: Answer): void {
  if (delivery === 'hang') return;
  if (delivery === 'reset') return void response.socket?.resetAndDestroy();
  if (delivery === 'cut') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) * 2 });
    response.write(body, () => response.socket?.resetAndDestroy());
    return;
  }
  response.writeHead(status, headers);
  response.end(body);
}
