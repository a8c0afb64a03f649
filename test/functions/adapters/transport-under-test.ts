// The transport, its requests and its failures.
import { createHttpsTransport } from '../../../functions/adapters/https-transport.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  TransportFailure,
} from '../../../shared/returns-service/http-transport.ts';
import { closing } from './listeners.ts';

export const BODY = JSON.stringify([{ name: 'Rosalind Quimby', text: 'x'.repeat(1_000) }]);

export const open = () => closing(createHttpsTransport());

export function request(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { url, headers: { 'X-Service-Api-Token': 'tok_1a2b' }, timeoutMs: 5_000, maxBytes: 10_000, ...more };
}

export async function failureOf(answer: Promise<HttpAnswer>): Promise<TransportFailure> {
  const outcome = await answer.catch((error: unknown) => error);
  if (outcome instanceof TransportFailure) return outcome;
  throw new Error('no TransportFailure was thrown', { cause: outcome });
}

export function textOf({ body }: HttpAnswer): string {
  return new TextDecoder().decode(body);
}
