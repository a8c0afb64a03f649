// The edge: admits a request whose signature is right. The signature covers bytes, so the body is taken raw and
// decoded strictly: a replaced character or a dropped byte order mark would let other bytes pass.
import type { SubscriberLog } from './subscriber-options.ts';
import { answer } from './webhook-answer.ts';
import { createSignatureCheck, type WebhookSecrets } from './webhook-secrets.ts';

/** A request with a right signature. */
export interface Signed {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

/** An event has at most 1 MiB; a replay adds its id. */
const BODY_BYTES_LIMIT = 1024 * 1024 + 16 * 1024;

/** @returns a function that returns the request's content, or the answer that rejects it */
export function createRequestReader(secrets: WebhookSecrets, log: SubscriberLog) {
  const checkSignature = createSignatureCheck(secrets);
  return async (request: Request): Promise<Signed | Response> => {
    if (request.method !== 'POST') return answer(405, 'A webhook is a POST.', { allow: 'POST' });
    if (request.bodyUsed) return bodyIsGone(log);
    const bytes = await readBytes(request);
    if (bytes === undefined) return answer(413, `The body has more than ${BODY_BYTES_LIMIT} bytes.`);
    const body = decode(bytes);
    const fault = body === undefined ? 'The body is not UTF-8' : await checkSignature(request.headers, body);
    if (body === undefined || fault !== undefined) {
      log.warn('Rejected a webhook.', { reason: fault });
      return answer(401, `${fault}.`);
    }
    return { id: request.headers.get('webhook-id') ?? '', body };
  };
}

function bodyIsGone(log: SubscriberLog): Response {
  const reason =
    'The signature covers the raw body, which was read before the receiver got the request. ' +
    'Mount the receiver before `express.json()` and other body parsers, and pass it an unread request.';
  log.error(reason, {});
  return answer(500, reason);
}

/** @returns undefined if there is more than the limit; the rest is not read */
async function readBytes(request: Request): Promise<Uint8Array | undefined> {
  const reader = request.body?.getReader();
  if (Number(request.headers.get('content-length')) > BODY_BYTES_LIMIT) {
    await reader?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > BODY_BYTES_LIMIT) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(read.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
