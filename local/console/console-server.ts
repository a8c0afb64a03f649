// The console's HTTP server, for this machine only. Each request renders its page from the feed's tables, and streams
// update open pages. The console stores nothing of its own.
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { failureOf, UsageError } from '../cli/failures.ts';
import { TooBusyError, takeTurns } from '../http/take-turns.ts';
import { documentLink, type SECTIONS } from './documents.ts';
import { guardAccess } from './guard-access.ts';
import { type Html, html, textOf } from './html.ts';
import { type Frame, layOut, type Page, worstOf } from './layout.ts';
import { listenOnLoopback } from './listen-on-loopback.ts';
import { SCRIPT } from './page-script.ts';
import { type Message, onlyChanges, streamMessages } from './stream-page.ts';
import { ICON, STYLESHEET } from './stylesheet.ts';

/** A page of the console. `render` throws {@link PageNotFound} if the address names nothing that exists. */
export interface ConsolePage {
  /** As a route of hono, for instance `/returns/:source/:group`. */
  readonly path: string;
  render(request: PageRequest): Promise<Page | Redirect>;
  /** Undefined for a page without updates. */
  readonly updates?: PageUpdates;
}

export interface PageUpdates {
  readonly everyMs: number;
  /**
   * Returns a function that returns the next messages. Without `follow`, the message is the page's body if it changed.
   *
   * @param position the page's `position`, or the last message's id if the browser connects again
   */
  follow?(request: PageRequest, position: string): () => Promise<readonly Message[]>;
}

/**
 * Handles a form that the console's pages send by POST. Returns a page, or a redirect to one. `run` throws
 * {@link PageNotFound} if the form names nothing that exists, and UsageError for other invalid fields.
 */
export interface ConsoleAction {
  readonly path: string;
  run(request: PageRequest): Promise<Page | Redirect>;
}

export interface Redirect {
  readonly to: string;
}

export interface PageRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The form's fields, or the query of the address. */
  readonly fields: Readonly<Record<string, string>>;
}

export class PageNotFound extends Error {
  override readonly name = 'PageNotFound';
}

export interface ConsoleOptions {
  readonly port: number;
  /** Called with the address when it has been opened already and is opened again. */
  readonly onNewAddress?: (url: string) => void;
  /** The place of the feed, shown on every page. */
  readonly place: string;
  readonly pages: readonly ConsolePage[];
  readonly actions: readonly ConsoleAction[];
  /** A sentence for each problem, the worst first, for the header of every page. @default none */
  readonly listProblems?: () => Promise<readonly string[]>;
}

export interface Console {
  /** The console's present address, only for its user: its token opens the console once, then it has another one. */
  readonly url: string;
  close(): Promise<void>;
}

type App = Hono<{ Bindings: HttpBindings }>;

const STREAM = 'stream';
const FORM = 'application/x-www-form-urlencoded';
const LARGEST_FORM_BYTES = 1_048_576;
/** Of a page that is in no navigation and not updated. */
const FRAME: Omit<Frame, 'place'> = { path: '', stream: undefined, problems: [] };
/** However many windows are open. Some pages wait for the service, and must not keep all others waiting. */
const PAGES_AT_ONCE = 8;
/** Enough for sixty windows that open at once, each with its updates. */
const PAGES_WAITING = 200;
const BUSY_RETRY_SECONDS = 5;

/** @throws Error if the port can't be used */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { place, pages, actions, onNewAddress = () => {}, listProblems = async () => [] } = options;
  const app: App = new Hono({ strict: false });
  const access = guardAccess(app, onNewAddress);
  app.use(bodyLimit({ maxSize: LARGEST_FORM_BYTES, onError: tooLarge }));
  addFile(app, '/console.css', 'text/css; charset=utf-8', STYLESHEET);
  addFile(app, '/console.js', 'text/javascript; charset=utf-8', SCRIPT);
  addFile(app, '/icon.svg', 'image/svg+xml', ICON);
  const inTurn = takeTurns(PAGES_AT_ONCE, PAGES_WAITING);
  for (const page of pages) addPage(app, page, { place, listProblems, inTurn });
  for (const { path, run } of actions)
    app.post(path, async (context) => {
      const answered = await run({ params: context.req.param(), fields: await readForm(context) });
      return answer(context, answered, { ...FRAME, place, problems: await listProblems() });
    });
  app.notFound((context) => showFailure(context, new PageNotFound('There is no such page.')));
  app.onError((error, context) => showFailure(context, error));

  async function showFailure(context: Context, error: Error): Promise<Response> {
    const { status, title, text, about } = describeFailure(error);
    const problems = status === BUSY ? [] : await listProblems().catch(() => []);
    const body = html`<h1>${title}</h1><p>${text}</p>
${about !== undefined && html`<p>What to do: ${documentLink(about)}</p>`}`;
    if (status === BUSY) context.header('retry-after', String(BUSY_RETRY_SECONDS));
    context.status(status);
    return send(context, layOut({ title, body }, { ...FRAME, place, problems }));
  }

  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const { port, close } = await listenOnLoopback(listener, options.port);
  return {
    get url() {
      return access.url(port);
    },
    close,
  };
}

function addFile(app: App, path: string, type: string, content: string): void {
  app.get(path, (context) => context.body(content, 200, { 'content-type': type }));
}

function tooLarge(): never {
  throw new HTTPException(413, { message: 'The form is too large.' });
}

interface Shared extends Pick<ConsoleOptions, 'place'> {
  readonly listProblems: () => Promise<readonly string[]>;
  readonly inTurn: ReturnType<typeof takeTurns>;
}

function addPage(app: App, page: ConsolePage, { place, listProblems, inTurn }: Shared): void {
  const { path, updates } = page;
  app.get(path, async (context) => {
    const asked = { params: context.req.param(), fields: fieldsOf(new URL(context.req.url).searchParams) };
    if (updates !== undefined && STREAM in asked.fields) {
      const next =
        updates.follow?.(asked, positionOf(context, asked)) ?? onlyChanges(() => renderBody(page, asked));
      const withProblems = async () => {
        const [news, problems] = [await next(), await listProblems()];
        return [
          ...news,
          { event: 'problems', markup: html`${problems.length || ''}` } as const,
          { event: 'worst', markup: html`${worstOf(problems)}` } as const,
        ];
      };
      return streamMessages(context, updates.everyMs, () => inTurn(withProblems));
    }
    const stream = updates === undefined ? undefined : withStream(context.env.incoming.url ?? path);
    const rendered = await inTurn(() => page.render(asked));
    const isFixed = 'isFixed' in rendered && rendered.isFixed === true;
    return answer(context, rendered, {
      path,
      place,
      stream: isFixed ? undefined : stream,
      problems: await listProblems(),
    });
  });
}

async function renderBody(page: ConsolePage, request: PageRequest): Promise<Html> {
  const rendered = await page.render(request);
  return 'body' in rendered ? rendered.body : html``;
}

function answer(context: Context, page: Page | Redirect, frame: Frame): Response {
  return 'to' in page ? context.redirect(page.to, 303) : send(context, layOut(page, frame));
}

function positionOf({ req }: Context, { fields }: PageRequest): string {
  return req.header('last-event-id') ?? fields.position ?? '';
}

function withStream(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${STREAM}=1`;
}

async function readForm({ req }: Context): Promise<PageRequest['fields']> {
  const type = req.header('content-type')?.split(';')[0];
  if (type !== FORM) throw new HTTPException(415, { message: `The console takes forms as ${FORM}.` });
  return fieldsOf(new URLSearchParams(await req.text()));
}

/** Returns one string for each name: the last one if a name is repeated. */
function fieldsOf(fields: URLSearchParams): PageRequest['fields'] {
  return Object.fromEntries(fields);
}

function send(context: Context, page: Html): Response {
  return context.html(textOf(page));
}

const BUSY = 503;

function describeFailure(error: unknown): {
  readonly status: ContentfulStatusCode;
  readonly title: string;
  readonly text: string;
  /** The section of the documents. */
  readonly about?: keyof typeof SECTIONS;
} {
  if (error instanceof PageNotFound) return { status: 404, title: 'Not found', text: error.message };
  if (error instanceof UsageError) return { status: 400, title: 'Not possible', text: error.message };
  if (error instanceof TooBusyError) return { status: BUSY, title: 'Too busy', text: error.message };
  const text = failureOf(error);
  return /^AccessDenied/.test((error as Error).name)
    ? { status: 403, title: 'Access denied', text, about: 'access_denied' }
    : { status: statusOf(error), title: 'This page failed', text, about: 'command_fails' };
}

function statusOf(error: unknown): ContentfulStatusCode {
  return error instanceof HTTPException ? (error.status as ContentfulStatusCode) : 500;
}
