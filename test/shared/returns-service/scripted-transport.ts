import type {
  HttpAnswer,
  HttpRequest,
  HttpTransport,
} from '../../../shared/returns-service/http-transport.ts';

export type Scripted = Partial<Omit<HttpAnswer, 'body'>> & { readonly body?: unknown };

/** A transport that gives every request the same answer, or throws it, and keeps the requests. */
export function scriptedTransport(outcome: Scripted | Error): {
  readonly transport: HttpTransport;
  readonly requests: HttpRequest[];
} {
  const requests: HttpRequest[] = [];
  return {
    requests,
    transport: async (request) => {
      requests.push(request);
      if (outcome instanceof Error) throw outcome;
      return { status: 200, headers: {}, requestMs: 12, ...outcome, body: encode(outcome.body) };
    },
  };
}

/** Bytes and texts unchanged, other bodies as JSON; an empty list without a body. */
function encode(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? []));
}
