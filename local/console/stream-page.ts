// Keeps an open page up to date by server-sent events: renders it again at a fixed interval, and sends it if it differs.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatFailure } from '../cli/failures.ts';
import { untilAborted } from '../cli/until-aborted.ts';
import { type Html, textOf } from './html.ts';

export interface Message {
  /** Undefined replaces the page's content. */
  readonly event?: 'row';
  /** The position after this message: a browser that connects again continues from it. */
  readonly id?: string;
  readonly markup: Html;
}

/**
 * Sends what `next` returns until the browser leaves. A failure is shown on the page, and the next round tries again.
 *
 * @param next called every `everyMs`, and never twice at once
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
  let isWell = true;
  while (!gone.signal.aborted) {
    try {
      for (const { event, id, markup } of await next()) send(event, textOf(markup), id);
      if (!isWell) send('well', '');
      isWell = true;
    } catch (error) {
      send('problem', `Not up to date. ${formatFailure(error)}`);
      isWell = false;
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

/** Renders at each call; returns the page only if it differs from the last one. */
export function onlyChanges(render: () => Promise<Html>): () => Promise<readonly Message[]> {
  let before: string | undefined;
  return async () => {
    const markup = await render();
    const isNew = textOf(markup) !== before;
    before = textOf(markup);
    return isNew ? [{ markup }] : [];
  };
}
