// Reads a console on a deployment over plain HTTP, with the cookie of a browser.
import { createMoments } from '../../local/cli/moments.ts';
import { serveConsole } from '../../local/console/open-console.ts';
import { type Asked, ask as askConsole, openAddress } from './ask-console.ts';

export interface ReadPage {
  readonly status: number;
  /** The visible text, in one line. */
  readonly text: string;
  /** The path of the page after redirects. */
  readonly path: string;
}

export interface ReadConsole {
  /** Opens a page and follows redirects. */
  read(path: string): Promise<ReadPage>;
  /** Sends a form and follows redirects. */
  send(path: string, fields?: Readonly<Record<string, string>>): Promise<ReadPage>;
  close(): Promise<void>;
}

export interface ReadConsoleOptions {
  readonly stack: string;
  readonly acts?: boolean;
  /** @default the system's clock */
  readonly now?: () => number;
}

/** Matches the address of the next stage of a search. */
const CONTINUATION = /http-equiv="refresh" content="0; url=([^"]+)"/;

/** The environment names the endpoint of AWS. @throws the errors of the command before it prints its address */
export async function openReadConsole({
  stack,
  acts = false,
  now = Date.now,
}: ReadConsoleOptions): Promise<ReadConsole> {
  const ending = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const url = await new Promise<URL>((resolve, reject) => {
    ended = serveConsole(
      { stack },
      {
        ...{ port: 0, acts, access: {}, signal: ending.signal },
        moments: createMoments({ zone: 'UTC', now }),
        onReady: (address) => resolve(new URL(address)),
      },
    );
    ended.catch(reject);
  });
  const access = await openAddress({ url: url.href });
  async function ask(path: string, asked: Asked): Promise<ReadPage> {
    const sent = { ...asked, headers: { ...asked.headers, ...access } };
    const { status, headers, body } = await askConsole(new URL(path, url.origin), sent);
    const to = headers.location ?? CONTINUATION.exec(body)?.[1];
    if (to !== undefined) return ask(unescaped(String(to)), {});
    return { status, text: textOf(body), path };
  }
  return {
    read: (path) => ask(path, {}),
    send: (path, fields = {}) =>
      ask(path, {
        method: 'POST',
        headers: { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      }),
    async close() {
      ending.abort();
      await ended;
    },
  };
}

function textOf(page: string): string {
  const [, main = page] = /<main[^>]*>(.*)<\/main>/s.exec(page) ?? [];
  return unescaped(main.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function unescaped(markup: string): string {
  return markup.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
