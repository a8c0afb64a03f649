// Updates an open page with server-sent events: renders the page at a fixed interval, and sends it if it changed.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { formatFailure } from '../cli/failures.ts';
import { untilAborted } from '../cli/until-aborted.ts';
import { type Html, textOf } from './html.ts';

/** How soon a browser connects again. */
const RETRY_MS = 2_000;

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
export function streamMessages(
  context: Context,
  everyMs: number,
  next: () => Promise<readonly Message[]>,
): Response {
  return streamSSE(context, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    await stream.write(`retry: ${RETRY_MS}\n\n`);
    while (!gone.signal.aborted) {
      try {
        for (const { markup, ...message } of await next())
          await stream.writeSSE({ ...message, data: textOf(markup) });
        await stream.writeSSE({ event: 'well', data: '' });
      } catch (error) {
        await stream.writeSSE({ event: 'problem', data: `Not up to date. ${formatFailure(error)}` });
      }
      await untilAborted(everyMs, gone.signal);
    }
  });
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
