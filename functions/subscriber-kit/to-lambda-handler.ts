// Lambda's function URLs and API Gateway's HTTP APIs: events and answers of payload format 2.0.
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
import * as z from 'zod';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** An answer of payload format 2.0. */
export interface FunctionUrlAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const eventSchema = z.object({
  requestContext: z.object({ http: z.object({ method: z.string() }) }),
  headers: z.record(z.string(), z.string().optional()),
  body: z.string().default(''),
  isBase64Encoded: z.boolean(),
});

/** @throws Error (the handler) for an event of another payload format */
export function toLambdaHandler(receiver: WebhookReceiver): (event: unknown) => Promise<FunctionUrlAnswer> {
  return async (event) => {
    const answered = await receiver(toWebRequest(event));
    return {
      statusCode: answered.status,
      headers: Object.fromEntries(answered.headers),
      body: await answered.text(),
    };
  };
}

function toWebRequest(event: unknown): Request {
  const parsed = eventSchema.safeParse(event);
  if (!parsed.success)
    throw new Error(
      'Not an event of payload format 2.0: use a function URL, or an HTTP API with that format.',
      { cause: parsed.error },
    );
  const { requestContext, headers, body, isBase64Encoded } = parsed.data;
  // The receiver ignores the address, and rejects all methods but POST.
  const address = 'http://receiver.invalid/';
  if (requestContext.http.method !== 'POST') return new Request(address);
  return new Request(address, {
    method: 'POST',
    headers: Object.entries(headers).map(([name, value]) => [name, value ?? '']),
    body: isBase64Encoded ? fromBase64(body) : body,
  });
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
