// A proxy between the SDK and the engine's topics that applies AWS's documented rules that the engine lacks: the sizes of
// messages and batches (with attributes), attributes that must not be empty, the topic's own deduplication, and the
// characters that a queue rejects or replaces. Tests plan answers that only AWS gives: throttling, missing permissions,
// failed entries.
// https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
// https://docs.aws.amazon.com/sns/latest/dg/large-message-payloads.html
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asKeptByQueue, checkBatch, ENTRY, type Entry, entriesOf, type SnsError } from './topic-rules.ts';

export interface FailedEntry {
  readonly code: string;
  readonly senderFault?: boolean;
  readonly message?: string;
}

/** The answer to a call: an error for the whole call, or outcomes of single entries, by their ids. */
export type TopicFault = (
  ids: readonly string[],
) => { readonly error: SnsError } | { readonly entries: Readonly<Record<string, FailedEntry | 'left out'>> };

export interface StrictTopic {
  readonly endpoint: string;
  /** The ids of the entries of each batch so far. */
  readonly batches: string[][];
  /** Plans the answers to the next calls. */
  next(fault: TopicFault, times?: number): void;
  close(): Promise<void>;
}

export interface StrictTopicOptions {
  readonly engine: string;
  /** The topic's MaximumMessageSize. */
  readonly maximumMessageSize: number;
  /** The time in milliseconds. @default a constant */
  readonly now?: () => number;
}

const DEDUPLICATES_FOR_MS = 300_000;

export async function startStrictTopic(options: StrictTopicOptions): Promise<StrictTopic> {
  const { engine, maximumMessageSize, now = () => 0 } = options;
  const batches: string[][] = [];
  const planned: { readonly fault: TopicFault; times: number }[] = [];
  /** The time at which each deduplication id was published. */
  const published = new Map<string, number>();

  async function publish(request: IncomingMessage, parameters: URLSearchParams): Promise<Reply> {
    const entries = entriesOf(parameters);
    const ids = [...entries.values()].map(({ Id = '' }) => Id);
    batches.push(ids);
    const plan = planned.find(({ times }) => times > 0);
    if (plan !== undefined) plan.times -= 1;
    const answer = plan?.fault(ids) ?? { entries: {} };
    const error = 'error' in answer ? answer.error : checkBatch([...entries.values()], maximumMessageSize);
    if (error !== undefined) return errorReply(error);
    const fates = 'entries' in answer ? answer.entries : {};
    const isRepeat = ({ MessageDeduplicationId = '' }: Entry) =>
      now() - (published.get(MessageDeduplicationId) ?? Number.NEGATIVE_INFINITY) < DEDUPLICATES_FOR_MS;
    const kept = new URLSearchParams(parameters);
    const repeats: string[] = [];
    for (const [place, entry] of entries) {
      const { Id = '', MessageDeduplicationId = '' } = entry;
      if (isRepeat(entry)) repeats.push(Id);
      if (fates[Id] !== undefined || isRepeat(entry)) remove(kept, place);
      else published.set(MessageDeduplicationId, now());
      const message = `PublishBatchRequestEntries.member.${place}.Message`;
      if (kept.has(message)) kept.set(message, asKeptByQueue(entry.Message ?? ''));
    }
    const { body, status } = await forward(engine, request, kept);
    return { status, body: amend(body, repeats, fates) };
  }

  const server = createServer((request, response) => {
    const handle = async () => {
      const parameters = new URLSearchParams(await textOf(request));
      const isBatch = parameters.get('Action') === 'PublishBatch';
      const reply = isBatch ? publish(request, parameters) : forward(engine, request, parameters);
      const { status, body } = await reply;
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    };
    handle().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    next: (fault, times = 1) => void planned.push({ fault, times }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function remove(parameters: URLSearchParams, place: string): void {
  for (const name of [...parameters.keys()]) {
    if (ENTRY.exec(name)?.[1] === place) parameters.delete(name);
  }
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Adds the entries that were not forwarded to the engine's answer. */
function amend(
  body: string,
  repeats: readonly string[],
  fates: Readonly<Record<string, FailedEntry | 'left out'>>,
) {
  const failed = Object.entries(fates).flatMap(([id, fate]) =>
    fate === 'left out' ? [] : [{ id, ...fate }],
  );
  const successes = repeats.map((id) => `<member><Id>${id}</Id><MessageId>repeated</MessageId></member>`);
  const failures = failed.map(
    ({ id, code, senderFault = false, message = '' }) =>
      `<member><Id>${id}</Id><Code>${code}</Code><Message>${message}</Message>` +
      `<SenderFault>${senderFault}</SenderFault></member>`,
  );
  return body
    .replace('<Successful>', `<Successful>${successes.join('')}`)
    .replace('<Failed>', `<Failed>${failures.join('')}`);
}

function errorReply({ code, status = 400, message = 'refused by the proxy' }: SnsError): Reply {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  const xmlns = 'http://sns.amazonaws.com/doc/2010-03-31/';
  return { status, body: `<ErrorResponse xmlns="${xmlns}">${error}<RequestId>1</RequestId></ErrorResponse>` };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function forward(
  engine: string,
  request: IncomingMessage,
  parameters: URLSearchParams,
): Promise<Reply> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    // The engine reads the region from it.
    authorization: request.headers.authorization ?? '',
  };
  const answer = await fetch(engine, { method: 'POST', headers, body: parameters.toString() });
  return { status: answer.status, body: await answer.text() };
}
