// Sends requests over node:https (and node:http, for a service on this machine), on connections that are kept open.
// Sends each request once: if the service has closed a kept connection meanwhile, the request fails, and the caller
// decides on a retry, because that is a second request of its budget.
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpTransport,
  TransportFailure,
  type TransportFailureKind,
} from '../../shared/returns-service/http-transport.ts';
import { environmentProxy, hasProxy } from './environment-proxy.ts';
import { USER_AGENT } from './user-agent.ts';

const decompress = promisify(gunzip);
/** Firewalls add cookies of many KB; Node alone accepts 16 KB. */
const MAX_HEADER_BYTES = 64 * 1_024;

export type HttpsTransport = HttpTransport & {
  /** Closes the connections that are kept open; requests under way fail. */
  close(): void;
};

/** Uses the proxy that the environment names. */
export function createHttpsTransport(): HttpsTransport {
  const agents = new Map<string, HttpAgent>();
  const agentOf = (url: URL): HttpAgent => {
    const known = agents.get(url.origin);
    if (known !== undefined) return known;
    const options = { keepAlive: true, ...environmentProxy(url) };
    const agent = url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    agents.set(url.origin, agent);
    return agent;
  };
  const send: HttpTransport = (request) => exchange(request, agentOf(new URL(request.url)));
  return Object.assign(send, {
    close(): void {
      for (const agent of agents.values()) agent.destroy();
    },
  });
}

/** The state of a request under way, for aborting it. */
interface Exchange {
  readonly client: ClientRequest;
  readonly url: URL;
  response?: IncomingMessage;
}

async function exchange(request: HttpRequest, agent: HttpAgent): Promise<HttpAnswer> {
  if (request.signal?.aborted) throw failure('aborted', 'The request was aborted');
  const sentAt = performance.now();
  const underWay: Exchange = { client: open(request, agent), url: new URL(request.url) };
  const limit = limitTime(request, underWay);
  try {
    const answer = await Promise.race([receive(underWay, request.maxBytes), limit.promise]);
    return { ...answer, requestMs: performance.now() - sentAt };
  } catch (error) {
    // The rest of the answer must not be read by the next request on this connection.
    underWay.client.destroy();
    throw error;
  } finally {
    limit.dispose();
  }
}

function open({ url, headers }: HttpRequest, agent: HttpAgent): ClientRequest {
  const options = {
    headers: { ...headers, 'accept-encoding': 'gzip', 'user-agent': USER_AGENT },
    ...{ method: 'GET', maxHeaderSize: MAX_HEADER_BYTES, agent },
  };
  try {
    return (url.startsWith('https:') ? requestHttps : requestHttp)(url, options).end();
  } catch (error) {
    throw failure('connection', 'The request could not be made', error);
  }
}

/** A promise that rejects on the timeout or the caller's signal, and never resolves. */
function limitTime({ timeoutMs, signal }: HttpRequest, underWay: Exchange) {
  const { promise, reject } = withReject();
  const abort = () => reject(failure('aborted', 'The request was aborted', undefined, underWay.response));
  const timer = setTimeout(
    () => reject(failure('timeout', `Not done within ${timeoutMs} ms`, undefined, underWay.response)),
    timeoutMs,
  );
  signal?.addEventListener('abort', abort, { once: true });
  return {
    promise,
    dispose() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

function withReject(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise;
  });
  return { promise, reject };
}

async function receive(underWay: Exchange, maxBytes: number): Promise<Omit<HttpAnswer, 'requestMs'>> {
  const response = await receiveHead(underWay);
  underWay.response = response;
  const wire = await receiveBody(response, maxBytes);
  const body = await decode(wire, response, maxBytes);
  return { status: response.statusCode ?? 0, headers: flatten(response), body };
}

function receiveHead({ client, url }: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    client.once('response', resolve);
    // Not `once`: a connection may fail again after an abort, and an unhandled error would end the process.
    client.on('error', (error) => reject(failure('connection', 'No answer came', error, undefined, url)));
  });
}

const MANY_CHUNKS = 256;

async function receiveBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => failure('too-large', `More than ${maxBytes} bytes`, undefined, response);
  if (Number(response.headers['content-length']) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  /** Chunks of a few bytes take far more memory than their bytes, so that many are joined. */
  let small: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw tooLarge();
      small.push(chunk);
      if (small.length < MANY_CHUNKS) continue;
      chunks.push(Buffer.concat(small));
      small = [];
    }
  } catch (error) {
    throw error instanceof TransportFailure
      ? error
      : failure('truncated', 'The connection was closed before the end', error, response);
  }
  return Buffer.concat([...chunks, ...small], bytes);
}

/** By the body: proxies unpack one and keep its header, and frameworks send a charset as the encoding. */
async function decode(wire: Buffer, response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  if (!isGzip(wire)) {
    if (!isEncoded(response) || wire.byteLength === 0 || looksLikeJson(wire)) return wire;
    throw failure('undecodable', 'An encoding that was not asked for', undefined, response);
  }
  try {
    return await decompress(wire, { maxOutputLength: maxBytes });
  } catch (error) {
    throw failure(
      kindOfDecompressionError(codeOf(error)),
      "The answer can't be decompressed",
      error,
      response,
    );
  }
}

/** No JSON begins so. */
function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** The codings of HTTP that change a body. */
const CODINGS = /\b(?:br|compress|dcb|dcz|deflate|exi|gzip|zstd)\b/i;

function isEncoded({ headers }: IncomingMessage): boolean {
  return CODINGS.test(headers['content-encoding'] ?? '');
}

const LOOKED_AT_BYTES = 1_024;

/** A compressed body is no text for so long. */
function looksLikeJson(wire: Buffer): boolean {
  try {
    const start = new TextDecoder('utf-8', { fatal: true }).decode(wire.subarray(0, LOOKED_AT_BYTES), {
      stream: true,
    });
    return /^\s*[[{n]/.test(start);
  } catch {
    return false;
  }
}

function kindOfDecompressionError(code: string | undefined): TransportFailureKind {
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'too-large';
  return code === 'Z_BUF_ERROR' ? 'truncated' : 'undecodable';
}

/** The first of several headers of one name. */
function flatten({ headersDistinct }: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, [value] = []] of Object.entries(headersDistinct))
    if (value !== undefined) flat[name] = value;
  return flat;
}

function failure(
  kind: TransportFailureKind,
  message: string,
  error?: unknown,
  response?: IncomingMessage,
  url?: URL,
): TransportFailure {
  return new TransportFailure(kind, message, {
    code: codeOf(error),
    cause: withoutPayload(error),
    hasProxy: url && hasProxy(url),
    status: response?.statusCode,
    headers: response === undefined ? undefined : flatten(response),
  });
}

/** OpenSSL's reason in an error that Node only calls EPROTO. */
const OPENSSL_REASON = /:SSL routines:[^:]*:([a-z0-9 ]+):/;

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  const reason = error.code === 'EPROTO' ? OPENSSL_REASON.exec(error.message)?.[1] : undefined;
  return reason === undefined ? error.code : `ERR_SSL_${reason.replaceAll(' ', '_').toUpperCase()}`;
}

/** Drops the data in Node's errors, such as a packet that is not HTTP: it may contain a part of a return. */
function withoutPayload(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const bare = new Error(error.message === '' ? code : error.message);
  bare.name = error.name;
  return code === undefined ? bare : Object.assign(bare, { code });
}
