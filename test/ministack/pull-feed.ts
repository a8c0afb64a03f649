// Requests to the function of the pull feed, as its URL makes them.
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { toEvent } from '../functions/pull/function-url-front.ts';
import { invoke } from './functions.ts';

/** @param url a path with its query */
export async function ask(
  functionName: string,
  url: string,
  token: string,
): Promise<APIGatewayProxyStructuredResultV2> {
  const headers = { authorization: `Bearer ${token}` };
  const event = toEvent({ method: 'GET', url, headers } as IncomingMessage);
  return (await invoke(functionName, event)) as APIGatewayProxyStructuredResultV2;
}

export function bodyOf({ body = '' }: APIGatewayProxyStructuredResultV2): unknown {
  return JSON.parse(Buffer.from(body, 'base64').toString());
}

/** All events that a reader shows. */
export async function readAll(functionName: string, reader: string, token: string): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let offset = '-1'; ; ) {
    const answer = await ask(functionName, `/v1/readers/${reader}?offset=${offset}`, token);
    if (answer.statusCode !== 200) throw new Error(`The pull feed answered ${answer.statusCode}.`);
    events.push(...(bodyOf(answer) as FeedEvent[]));
    offset = String(answer.headers?.['stream-next-offset']);
    if (answer.headers?.['stream-up-to-date'] === 'true') return events;
  }
}
