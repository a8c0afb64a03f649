// Lambda's function URLs and API Gateway's HTTP APIs: events and answers of payload format 2.0.
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
import * as z from 'zod';
import { answer } from './webhook-answer.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** An answer of payload format 2.0. */
export interface FunctionUrlAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const eventSchema = z.object({
  requestContext: z.object({ http: z.object({ method: z.string() }) }),
  headers: z.record(z.string(), z.string().nullish()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().default(false),
});

/** The handler never throws: a request that anybody can send must not look like a failure of the function. */
export function toLambdaHandler(receiver: WebhookReceiver): (event: unknown) => Promise<FunctionUrlAnswer> {
  return async (event) => {
    const request = toWebRequest(event);
    const answered = request instanceof Response ? request : await receiver(request);
    return {
      statusCode: answered.status,
      headers: Object.fromEntries(answered.headers),
      body: await answered.text(),
    };
  };
}

/** @returns the answer, if the event is no request */
function toWebRequest(event: unknown): Request | Response {
  const parsed = eventSchema.safeParse(event);
  if (!parsed.success)
    return answer(
      400,
      'Not an event of payload format 2.0: use a function URL, or an HTTP API with that format.',
    );
  const { requestContext, headers, body, isBase64Encoded } = parsed.data;
  // The receiver ignores the address, and rejects all methods but POST.
  const address = 'http://receiver.invalid/';
  if (requestContext.http.method !== 'POST') return new Request(address);
  try {
    return new Request(address, {
      method: 'POST',
      headers: Object.entries(headers ?? {}).map(([name, value]) => [name, value ?? '']),
      body: isBase64Encoded ? fromBase64(body ?? '') : (body ?? ''),
    });
  } catch {
    return answer(400, 'The headers or the body of the request are malformed.');
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
