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

const decompress = promisify(gunzip);
/** Firewalls add cookies of many KB; Node alone accepts 16 KB. */
const MAX_HEADER_BYTES = 64 * 1_024;

export type HttpsTransport = HttpTransport & {
  /** Closes the connections that are kept open; requests under way fail. */
  close(): void;
};

export function createHttpsTransport(): HttpsTransport {
  const agents: Agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true }),
  };
  const send: HttpTransport = (request) => exchange(request, agents);
  return Object.assign(send, {
    close(): void {
      agents.http.destroy();
      agents.https.destroy();
    },
  });
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** The state of a request under way, for aborting it. */
interface Exchange {
  readonly client: ClientRequest;
  response?: IncomingMessage;
}

async function exchange(request: HttpRequest, agents: Agents): Promise<HttpAnswer> {
  if (request.signal?.aborted) throw failure('aborted', 'The request was aborted');
  const sentAt = performance.now();
  const underWay: Exchange = { client: open(request, agents) };
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

function open({ url, headers }: HttpRequest, agents: Agents): ClientRequest {
  const options = {
    ...{ method: 'GET', headers: { ...headers, 'accept-encoding': 'gzip' } },
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  try {
    const client = url.startsWith('https:')
      ? requestHttps(url, { ...options, agent: agents.https })
      : requestHttp(url, { ...options, agent: agents.http });
    return client.end();
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
  const response = await receiveHead(underWay.client);
  underWay.response = response;
  const wire = await receiveBody(response, maxBytes);
  const body = await decode(wire, response, maxBytes);
  return { status: response.statusCode ?? 0, headers: flatten(response), body };
}

function receiveHead(client: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    client.once('response', resolve);
    // Not `once`: a connection may fail again after an abort, and an unhandled error would end the process.
    client.on('error', (error) => reject(failure('connection', 'No answer came', error)));
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

async function decode(wire: Buffer, response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || wire.byteLength === 0) return wire;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
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
): TransportFailure {
  return new TransportFailure(kind, message, {
    code: codeOf(error),
    cause: withoutPayload(error),
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
