// SQS and SNS on this machine: fauxqs, in this process and in memory, with three corrections. Queue URLs get the address
// that the engine listens on: the SDK sends to the URL's host, and fauxqs's `sqs.<region>.localhost` does not resolve
// everywhere. Messages received for a caller that has hung up become visible again at once: otherwise every stopped
// poller would hide the next message for a whole visibility timeout. Topics accept messages of up to 1 MiB, as in AWS:
// fauxqs rejects those above 256 KiB, and has no setting for it (1.9.2 and 2.4.1, read on 2026-11-24).
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { buildApp } from 'fauxqs';
import * as z from 'zod';

type App = ReturnType<typeof buildApp>;

export interface SqsEngine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const urlsSchema = z.object({
  QueueUrl: z.string().optional(),
  QueueUrls: z.array(z.string()).optional(),
});

const receivedSchema = z.object({
  Messages: z.array(z.object({ ReceiptHandle: z.string() })).min(1),
});

/** The Query protocol has one parameter for each field of each entry. */
const parametersSchema = z.record(z.string(), z.string());
const MESSAGE_PARAMETER = /^PublishBatchRequestEntries\.member\.\d+\.Message$/;
/** The engine's fixed limit of a message that is published to a topic. */
const ENGINE_TOPIC_BYTES = 262_144;
const MAX_TOPIC_BYTES = 1_048_576;

type Received = z.infer<typeof receivedSchema>;

/** Starts the engine on a free port of the loopback address. Stopping it loses its content. */
export async function startSqsEngine(): Promise<SqsEngine> {
  // Loaded only when used: loading takes a fifth of a second.
  const { buildApp } = await import('fauxqs');
  const app: App = buildApp({ logger: false });
  const ownUrls = new Map<string, string>();
  let endpoint = '';
  app.addHook('preHandler', async ({ body }) => {
    mapQueueUrls(body, (url) => ownUrls.get(url) ?? url);
    admitLargeMessages(body);
  });
  app.addHook('preSerialization', async (request, _reply, answer) => {
    const received = receivedSchema.safeParse(answer);
    if (received.success && (await hasHungUp(request))) await giveBack(app, request.body, received.data);
    mapQueueUrls(answer, (ownUrl) => {
      const url = endpoint + new URL(ownUrl).pathname;
      ownUrls.set(url, ownUrl);
      return url;
    });
    return answer;
  });
  // startFauxqs would listen on every interface.
  endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  return { endpoint, stop: async () => app.close() };
}

/** Replaces large texts in the parameters of PublishBatch. */
function admitLargeMessages(parameters: unknown): void {
  const { data = {} } = parametersSchema.safeParse(parameters);
  for (const [name, text] of Object.entries(data)) {
    const bytes = MESSAGE_PARAMETER.test(name) ? Buffer.byteLength(text) : 0;
    if (bytes > ENGINE_TOPIC_BYTES && bytes <= MAX_TOPIC_BYTES)
      Object.assign(parameters as object, { [name]: asShortMessage(text) });
  }
}

/**
 * A message that the engine takes for a short one. The engine measures it by `byteLength`, makes its MD5 from the bytes,
 * and prints it into the answer of ReceiveMessage by `toJSON`.
 */
function asShortMessage(text: string): Uint8Array {
  return Object.defineProperties(Buffer.from(text), {
    byteLength: { value: 0 },
    toJSON: { value: () => text },
  });
}

function mapQueueUrls(message: unknown, map: (url: string) => string): void {
  const { data } = urlsSchema.safeParse(message);
  if (data?.QueueUrl !== undefined) Object.assign(message as object, { QueueUrl: map(data.QueueUrl) });
  if (data?.QueueUrls !== undefined) Object.assign(message as object, { QueueUrls: data.QueueUrls.map(map) });
}

async function hasHungUp({ raw }: { readonly raw: IncomingMessage }): Promise<boolean> {
  // The caller's hang-up may arrive together with the message that ended the wait.
  await setImmediate();
  await setImmediate();
  return !raw.socket.writable;
}

async function giveBack(app: App, body: unknown, received: Received): Promise<void> {
  const { QueueUrl } = urlsSchema.parse(body);
  for (const { ReceiptHandle } of received.Messages) {
    await app.inject({
      method: 'POST',
      url: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'AmazonSQS.ChangeMessageVisibility',
      },
      payload: JSON.stringify({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
    });
  }
}
