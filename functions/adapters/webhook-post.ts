// Posts signed events to a webhook's URL over node:https (and node:http on one machine). Redirects are never followed,
// the environment's proxy is used on one machine only. An answer is decided by its status: little of its body is read,
// and none kept.
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { performance } from 'node:perf_hooks';
import { createSecureContext } from 'node:tls';
import { type AddressRange, checkLiteralAddress } from '../../shared/deployment/address-range.ts';
import { type ContentType, DEFAULT_CONTENT_TYPE } from '../../shared/deployment/content-type.ts';
import type { Answer, Post, PostRequest } from '../../shared/webhooks/webhook-ports.ts';
import { environmentProxy } from './environment-proxy.ts';
import { USER_AGENT } from './user-agent.ts';
import { createCheckedLookup } from './webhook-addresses.ts';
import { SigningSecretError, signWebhook } from './webhook-signature.ts';

export interface WebhookPostOptions {
  /** See {@link parseWebhookUrl}. */
  readonly url: URL;
  /** The keys that sign now; asked for before every attempt. */
  readonly keys: () => Promise<readonly Buffer[]>;
  /** Called after 401: the receiver may know a newer secret. */
  readonly onUnauthorized?: () => void;
  /** More headers, such as `authorization`; asked for before every attempt. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
  /** @default DEFAULT_CONTENT_TYPE */
  readonly contentType?: ContentType | undefined;
  /** PEM: the client's certificate, with its chain and its private key, for an endpoint that asks for one. */
  readonly clientCertificate?: string | undefined;
  readonly addresses: AddressRange;
  /** Whether posts go through the proxy that the environment names, which then looks names up. @default false */
  readonly usesProxy?: boolean;
  /** Until the answer's status. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Resolves names. @default node:dns */
  readonly lookup?: Parameters<typeof createCheckedLookup>[1];
}

export type WebhookPost = Post & { close(): void };

type Send = (
  headers: Readonly<Record<string, string | number>>,
  body: string,
  signal?: AbortSignal,
) => Promise<Answer>;
/** Posts a body with just these headers. */
export type HeadedPost = Send & { close(): void };

/** At most this much of the body is read, so that the connection can be used again. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_BODY_MS = 1_000;

/** @throws Error for a URL whose host is a forbidden address, and for an invalid client certificate */
export function createWebhookPost(options: WebhookPostOptions): WebhookPost {
  const send = createHeadedPost(options);
  const post: Post = async (request, signal) => {
    let headers: Record<string, string | number>;
    try {
      headers = await signedHeaders(options, request);
    } catch (error) {
      return { failure: whyUnsigned(error), requestMs: 0 };
    }
    const answer = await send(headers, request.body, signal);
    if ('status' in answer && answer.status === 401) options.onUnauthorized?.();
    return answer;
  };
  return Object.assign(post, { close: send.close });
}

type ConnectionOptions = Pick<
  WebhookPostOptions,
  'url' | 'clientCertificate' | 'addresses' | 'usesProxy' | 'timeoutMs' | 'lookup'
>;

/** @throws as {@link createWebhookPost} */
export function createHeadedPost(options: ConnectionOptions): HeadedPost {
  const { url, addresses, usesProxy = false } = options;
  checkLiteralAddress(url.hostname, addresses);
  const lookup = createCheckedLookup(addresses, options.lookup);
  const connect = { keepAlive: true, lookup, ...(usesProxy ? environmentProxy(url) : {}) };
  const certificate = certificateOf(options);
  const agent =
    url.protocol === 'https:' ? new HttpsAgent({ ...connect, ...certificate }) : new HttpAgent(connect);
  const send: Send = async (headers, body, signal) => {
    const began = performance.now();
    const open = () => {
      const settings = { method: 'POST', headers, agent };
      return url.protocol === 'https:' ? requestHttps(url, settings) : requestHttp(url, settings);
    };
    const outcome = await exchange(open, body, options.timeoutMs, signal);
    return { ...outcome, requestMs: Math.round(performance.now() - began) };
  };
  return Object.assign(send, { close: () => agent.destroy() });
}

/** A PEM text may have both: OpenSSL reads the blocks that it looks for. */
function certificateOf({ clientCertificate: pem }: ConnectionOptions) {
  if (pem === undefined) return {};
  const certificate = { cert: pem, key: pem };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new Error(
      `The client certificate is invalid (${codeOf(error)}): it must be PEM, with the certificate and its private key.`,
      { cause: error },
    );
  }
  return certificate;
}

/** The headers of an attempt. */
export async function signedHeaders(
  {
    keys,
    headers,
    contentType = DEFAULT_CONTENT_TYPE,
    now = Date.now,
  }: Pick<WebhookPostOptions, 'keys' | 'headers' | 'contentType' | 'now'>,
  { id, body }: PostRequest,
): Promise<Record<string, string | number>> {
  const timestamp = Math.floor(now() / 1_000);
  return {
    ...(await headers?.()),
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signWebhook(await keys(), id, timestamp, body),
  };
}

/** Where a secret can't be read, nothing can be posted; that is reported like any other failure. */
function whyUnsigned(error: unknown): string {
  if (error instanceof SigningSecretError) return error.message;
  return `its secrets could not be read (${error instanceof Error ? error.name : 'unknown'})`;
}

type Exchange =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failure: string };

/** Sends the body once; once more if a kept connection turns out to be closed. */
async function exchange(
  open: () => ClientRequest,
  body: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
  const limit = new AbortController();
  const end = () => limit.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    const first = await attempt(open(), body, limit.signal);
    const again = 'failure' in first && first.isStaleConnection && !limit.signal.aborted;
    const { isStaleConnection: _, ...outcome } = again ? await attempt(open(), body, limit.signal) : first;
    return outcome;
  } catch (error) {
    // The request can't be made: for instance, the value of a secret header has a line break in it.
    return { failure: codeOf(error) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

type AttemptOutcome = Exchange & { readonly isStaleConnection: boolean };

function attempt(client: ClientRequest, body: string, limit: AbortSignal): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    let isAnswered = false;
    const fail = (failure: string, isStaleConnection = false) => {
      client.destroy();
      // The status has decided: a body that goes wrong only ends.
      if (!isAnswered) resolve({ failure, isStaleConnection });
    };
    const onLimit = () => fail('timeout');
    limit.addEventListener('abort', onLimit, { once: true });
    if (limit.aborted) return onLimit();
    client.once('response', (response) => {
      isAnswered = true;
      limit.removeEventListener('abort', onLimit);
      const { statusCode: status = 0, headers } = response;
      void drain(client, response, limit).then(() =>
        resolve({ status, retryAfter: headers['retry-after'], isStaleConnection: false }),
      );
    });
    // Not `once`: a connection may fail again, and an unhandled error would end the process.
    client.on('error', (error) => fail(codeOf(error), client.reusedSocket && codeOf(error) === 'ECONNRESET'));
    client.end(body);
    return undefined;
  });
}

/** Reads the rest of the answer within its limits; an unfinished one costs the connection. */
async function drain(client: ClientRequest, response: IncomingMessage, limit: AbortSignal): Promise<void> {
  let bytes = 0;
  const stop = () => client.destroy();
  const timer = setTimeout(stop, MAX_BODY_MS);
  limit.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) stop();
    }
  } catch {
    // The status has decided: how the body ends does not matter.
  } finally {
    clearTimeout(timer);
    limit.removeEventListener('abort', stop);
  }
}

/** Never the error's message: it may name addresses and parts of the answer. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
