// `webhooks check`: judges a receiver by its answers to what a feed may post, and to what it must reject.
import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { createHeadedPost, signedHeaders } from '../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import { checkFilter, type EventFilter } from '../../shared/contract/event-filter.ts';
import {
  CONTENT_TYPES,
  type ContentType,
  DEFAULT_CONTENT_TYPE,
} from '../../shared/deployment/content-type.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { isLoopback } from '../../shared/returns-service/base-url.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { confirm, yesOption } from '../cli/confirm.ts';
import { parseDuration } from '../cli/durations.ts';
import { messageOf, NEEDS_ATTENTION, UsageError } from '../cli/failures.ts';
import { parseFilter, parseUrl, readSecret, SECRET_HELP, SECRET_VARIABLE } from '../cli/forward-flags.ts';
import { withInterrupts } from '../cli/interrupts.ts';
import { type Layout, layoutOf } from '../cli/layout.ts';
import { parseDirectory, WEBHOOKS_STACK } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { shownUrl } from '../cli/shown-url.ts';
import { padTo, wrapWords } from '../cli/wrap.ts';
import { readForwardSecret } from '../feed/forward-secret.ts';
import { withSecrets, withWebhook } from '../operating/open-webhook.ts';
import type { PlaceFlags } from '../place/open-feed.ts';
import { checkReceiver, type JudgedStep } from '../receiver-check/check-receiver.ts';
import { CHECK_SOURCE, type CheckPost, receiverSteps } from '../receiver-check/receiver-steps.ts';
import { readSigningSecret } from './webhooks-secrets.ts';

interface CheckFlags extends Pick<PlaceFlags, 'data' | 'stack'> {
  readonly secretFile?: string;
  readonly filter?: object;
  readonly contentType?: ContentType;
  readonly timeout?: number;
  readonly yes: boolean;
  readonly json: boolean;
}

const OPTION = '--secret-file';
const TIMEOUT_MS = 15_000;

const STORES = `A receiver that does not ignore the source "${CHECK_SOURCE}" books returns that do not exist.`;
const UNSEEN =
  'Answers do not show what the receiver did: whether it books a repeat once, keeps the newer state after a stale ' +
  'event, and erases a forgotten return.';

const HELP = `
Posts about thirty events, as a feed would: repeats, stale events, several returns at once, unknown
types and fields, the largest body, both signatures of a rotation, forgotten returns. Then posts that a
receiver must reject: wrong, missing and old signatures, a changed body.
The events are the recorded ones, of new returns of the source "${CHECK_SOURCE}". A receiver that does not
ignore this source books these returns, like real ones; the last events report them as forgotten. So check
a receiver that books in a test system. For a host that is not this machine the command asks first.
The secret comes from the file of ${OPTION}, from the directory of "watch --data --forward-to", from a
deployment (URL WEBHOOK --stack), or from ${SECRET_VARIABLE}. With the webhook's filter in --filter, only
events that pass it are posted. Secret headers and client certificates are not sent.
A check sees answers alone, not what the receiver did: whether it books a repeat once, keeps the newer
state after a stale event, and erases a forgotten return.
Examples:
  returns-feed webhooks check http://127.0.0.1:3000/hook --secret-file key.txt
  returns-feed webhooks check http://127.0.0.1:3000/hook --data state --json
  returns-feed webhooks check https://test.example.com/hook Wms --stack ReturnsFeed --yes
  returns-feed webhooks check http://127.0.0.1:3000/hook --filter '{"entities":["shipment"],"to":["DELIVERED"]}'
Exit code: 0 all answers are right, 3 some are not, 1 there is no answer, 2 invalid usage.`;

export function createCheckCommand(): Command {
  return new Command('check')
    .description("Judge a receiver of webhooks by its answers to a feed's posts, and to forged ones.")
    .argument('<url>', 'the URL of the receiver')
    .argument(
      '[webhook]',
      'with --stack: the id of the webhook whose secret, filter and other options it has',
    )
    .option(`${OPTION} <file>`, SECRET_HELP)
    .option('--data <dir>', 'data directory of "watch --data --forward-to", for its secret', parseDirectory)
    .option('--stack <name>', WEBHOOKS_STACK)
    .option('--filter <json>', 'filter of the webhook; its sources do not count', parseFilter)
    .addOption(
      new Option(
        '--content-type <type>',
        `media type of the posts (default: ${DEFAULT_CONTENT_TYPE})`,
      ).choices(CONTENT_TYPES),
    )
    .option('--timeout <time>', 'requestTimeout of the webhook (default: 15s)', parseDuration)
    .addOption(yesOption('post to another machine without asking'))
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', HELP)
    .action(check);
}

async function check(text: string, webhook: string | undefined, flags: CheckFlags): Promise<void> {
  const url = parseUrl(text, 'The URL');
  const { secret, filter, contentType, timeoutMs } = await settingsOf(webhook, flags);
  const steps = receiverSteps(Date.now(), filter);
  const own = parseSigningSecret(secret);
  const address = shownUrl(url);
  const isAsked = !flags.yes && !isLoopback(url.hostname);
  if (isAsked) await confirm(`Post to ${address}? ${STORES}`);
  const [out, notes] = [createPrinter(process.stdout), createPrinter(process.stderr)];
  const layout = layoutOf(process.stdout);
  const post = createHeadedPost({ url, addresses: 'any', usesProxy: true, timeoutMs });
  const judged = await withInterrupts(async (signal) => {
    try {
      return await checkReceiver({
        steps,
        post: createCheckPost(post, { own, contentType, signal }),
        address,
        timeoutMs,
        signal,
        async onStep(step) {
          if (!flags.json) await out.line(formatStep(step, layout).join('\n'));
          // After the test event, which no receiver books, and before all others.
          if (step.step === steps[0]?.name && !isAsked) await notes.line(STORES);
        },
      });
    } finally {
      post.close();
    }
  });
  const faults = judged.filter(({ verdict }) => verdict === 'fault').length;
  if (flags.json) await out.line(JSON.stringify({ url: address, faults, steps: judged }, null, 2));
  else await out.line(summarize(judged, layout).join('\n'));
  if (faults > 0) process.exitCode = NEEDS_ATTENTION;
}

/** How the webhook posts: as the options say, else as that of the deployment does, else as one by default. */
async function settingsOf(webhook: string | undefined, flags: CheckFlags) {
  const { secretFile, data, stack } = flags;
  if ([secretFile, data, webhook].filter((place) => place !== undefined).length > 1)
    throw new UsageError(`${OPTION}, --data and the id of a webhook name different secrets: give one.`);
  if (stack !== undefined && webhook === undefined)
    throw new UsageError('--stack needs the id of a webhook after the URL.');
  const given = flags.filter === undefined ? undefined : filterOf(flags.filter);
  const record =
    webhook === undefined ? undefined : await withWebhook(flags, webhook, async (found) => found);
  return {
    secret: await (record === undefined ? localSecret(flags) : deployedSecret(record)),
    filter: given ?? record?.filter ?? {},
    contentType: flags.contentType ?? record?.contentType ?? DEFAULT_CONTENT_TYPE,
    timeoutMs: flags.timeout ?? record?.requestTimeoutMs ?? TIMEOUT_MS,
  };
}

function filterOf(filter: object): EventFilter {
  try {
    return checkFilter(filter);
  } catch (error) {
    throw new UsageError(`--filter: ${messageOf(error)}`, { cause: error });
  }
}

function deployedSecret({ signingSecret }: WebhookRecord): Promise<string> {
  return withSecrets((client) => readSigningSecret(client, signingSecret));
}

async function localSecret({ secretFile, data }: CheckFlags): Promise<string> {
  const secret = data === undefined ? readSecret(secretFile, OPTION) : await readForwardSecret(data);
  if (secret !== undefined) return secret;
  throw new UsageError(
    `Give the receiver's secret: ${OPTION} FILE, --data DIR, the id of a webhook with --stack NAME, or ${SECRET_VARIABLE}.`,
  );
}

interface CheckPostOptions {
  readonly own: Buffer;
  readonly contentType: ContentType;
  readonly signal: AbortSignal;
}

/** Posts like a webhook, but for what the post's signing says. */
function createCheckPost(
  send: ReturnType<typeof createHeadedPost>,
  { own, contentType, signal }: CheckPostOptions,
): (post: CheckPost) => Promise<Answer> {
  const keys = { own, other: randomBytes(own.length) };
  return async ({ id, body, signing: { by, ageMs, isChanged } }) => {
    const headers = await signedHeaders(
      { keys: async () => by.map((name) => keys[name]), contentType, now: () => Date.now() - ageMs },
      { id, body },
    );
    const { 'webhook-signature': signature, ...unsigned } = headers;
    const sent = signature === '' ? unsigned : headers;
    return send(sent, isChanged ? changeByte(body) : body, signal);
  };
}

/** Another digit at the end of the event's time: it stays an event. */
function changeByte(body: string): string {
  return body.replace(
    /("time":"[^"]*)(\d)Z"/,
    (_, before, digit) => `${before}${(Number(digit) + 1) % 10}Z"`,
  );
}

const SIGNS = { right: '✓', fault: '✗', open: '–' } as const;
const LABEL_WIDTH = 22;

function formatStep(
  { step, verdict, answers, meaning, page }: JudgedStep,
  { width, colors }: Layout,
): string[] {
  const color = { right: colors.green, fault: colors.red, open: colors.dim }[verdict];
  const text = [describe(answers), meaning].filter((part) => part !== '').join(': ');
  const lines = wrapWords(printable(verdict === 'fault' ? `${text} (${page})` : text), width - LABEL_WIDTH);
  const label = padTo(`${SIGNS[verdict]} ${step}`, LABEL_WIDTH);
  return lines.map((line, index) => (index === 0 ? color(label) : ' '.repeat(LABEL_WIDTH)) + line);
}

/** For instance `204 and 409 after 12 ms`. */
function describe(answers: readonly Answer[]): string {
  if (answers.length === 0) return '';
  const names = answers.map((answer) => ('status' in answer ? String(answer.status) : answer.failure));
  const longestMs = Math.max(...answers.map(({ requestMs }) => requestMs));
  return `${[...new Set(names)].join(' and ')} after ${longestMs} ms`;
}

function summarize(judged: readonly JudgedStep[], { width }: Layout): string[] {
  const named = (verdict: JudgedStep['verdict']) =>
    judged.filter((each) => each.verdict === verdict).map(({ step }) => step);
  const [faults, open] = [named('fault'), named('open')];
  const verdict =
    faults.length === 0
      ? 'no fault'
      : `${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: ${faults.join(', ')}`;
  const without = open.length === 0 ? '' : `; open: ${open.join(', ')}`;
  return [`${verdict}${without}`, UNSEEN].flatMap((line) => wrapWords(line, width));
}
