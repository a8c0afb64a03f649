// Updates an open page with server-sent events: renders the page at a fixed interval, and sends it if it changed.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatFailure } from '../cli/failures.ts';
import { untilAborted } from '../cli/until-aborted.ts';
import { type Html, textOf } from './html.ts';

export interface Message {
  /**
   * `row` adds an event to the list, `problems` is their number, `worst` a sentence about them; undefined replaces the
   * page's content.
   */
  readonly event?: 'row' | 'problems' | 'worst';
  /** The position after this message. A browser that connects again sends it, and the stream continues there. */
  readonly id?: string;
  readonly markup: Html;
}

/**
 * Sends the messages of `next` until the browser disconnects, and then a sign of life: a page that hears nothing is
 * out of date. If `next` fails, the page shows the failure until a later call succeeds.
 *
 * @param next called `everyMs` after its last call has ended
 */
export async function streamMessages(
  request: FastifyRequest,
  reply: FastifyReply,
  everyMs: number,
  next: () => Promise<readonly Message[]>,
): Promise<void> {
  const gone = new AbortController();
  request.raw.once('close', () => gone.abort());
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
  });
  raw.write('retry: 2000\n\n');
  while (!gone.signal.aborted) {
    try {
      for (const { event, id, markup } of await next()) send(event, textOf(markup), id);
      send('well', '');
    } catch (error) {
      send('problem', `Not up to date. ${formatFailure(error)}`);
    }
    await untilAborted(everyMs, gone.signal);
  }

  function send(event: string | undefined, data: string, id?: string): void {
    if (gone.signal.aborted) return;
    const lines = data.split('\n').map((line) => `data: ${line}\n`);
    const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
    raw.write(`${head}${lines.join('')}\n`);
  }
}

/** Returns a function that renders the page, and returns it only if it differs from the last call's. */
export function onlyChanges(render: () => Promise<Html>): () => Promise<readonly Message[]> {
  let before: string | undefined;
  return async () => {
    const markup = await render();
    const isNew = textOf(markup) !== before;
    before = textOf(markup);
    return isNew ? [{ markup }] : [];
  };
}
