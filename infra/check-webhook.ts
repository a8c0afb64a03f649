// Checks a webhook's options before the deployment, so that neither CloudFormation nor the first event fails. Reports
// all problems at once.
import { Duration, Token } from 'aws-cdk-lib';
import { SOURCE_READ } from '../shared/contract/event-filter.ts';
import { CONTENT_TYPES } from '../shared/deployment/content-type.ts';
import { isReservedName } from '../shared/deployment/destinations.ts';
import { MESSAGE_SHAPES } from '../shared/deployment/message-shape.ts';
import { WEBHOOK_ID } from '../shared/deployment/webhook-record.ts';
import { parseWebhookUrl } from '../shared/deployment/webhook-url.ts';
import { problemsOfSubscription } from './check-subscription.ts';
import { DEFAULT_CONCURRENCY, headersOf, type WebhookOptions } from './webhook-options.ts';

export interface CheckedWebhook {
  readonly options: WebhookOptions;
  /** The names of the feed's sources. */
  readonly sources: readonly string[];
  /** The names of the topic's other subscriptions. */
  readonly others: readonly string[];
}

/** Leaves time for two attempts in one invocation of the sender, which lasts at most a minute. */
const LONGEST_REQUEST = Duration.seconds(25);
/** Of a sender, so that an attempt, the pause before it and the one after it fit into an invocation. */
const LONGEST_PAUSE = Duration.seconds(20);
const SHORTEST_ALARM = Duration.minutes(1);
/** All variables of a function may have 4 KB together, and so may a parameter of Parameter Store. */
const LONGEST_TEXT = 1_000;
const MOST_HEADERS = 5;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Headers that the sender sets, or that belong to the connection. */
const OWN_HEADERS: readonly string[] = [
  ...['connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'user-agent'],
];
const OWN_PREFIXES = ['proxy-', 'webhook-'];

/** @throws Error that lists all problems */
export function checkWebhook(id: string, checked: CheckedWebhook): void {
  const { options } = checked;
  const problems = [
    ...checkId(id, checked),
    ...problemsOfSubscription(id, {
      ...checked,
      ...{ filter: options.filter ?? {}, shape: options.shape, fn: undefined },
    }),
    ...checkTypes(options),
    ...checkUrl(options),
    ...checkHeaders(options),
    ...checkContentType(options),
    ...checkShape(options),
    ...checkNotify(options),
    ...checkNumbers(options),
    ...checkRate(options),
    ...checkLength('filter', JSON.stringify(options.filter ?? {})),
  ];
  if (problems.length === 0) return;
  throw new Error(`The webhook ${id} is invalid:\n${problems.map((it) => `- ${it}`).join('\n')}`);
}

function checkTypes({ filter }: WebhookOptions): string[] {
  return filter?.types?.includes(SOURCE_READ) === true
    ? [`filter.types: webhooks do not get ${SOURCE_READ}: use a rule on the bus or an ordered subscriber.`]
    : [];
}

function checkId(id: string, { others }: CheckedWebhook): string[] {
  const problems: string[] = [];
  if (!WEBHOOK_ID.test(id))
    problems.push(
      'Its id must be 1 to 30 of the characters a-z, A-Z, 0-9 and -, beginning with a letter, for instance "Wms".',
    );
  if (isReservedName(id))
    problems.push(`Its id is reserved: "${id}" is another destination in commands. Choose another id.`);
  // An identical id is reported by `problemsOfSubscription`.
  const alike = others.find((other) => other !== id && other.toLowerCase() === id.toLowerCase());
  if (alike !== undefined) problems.push(`Its id differs from "${alike}" only in case: choose another.`);
  return problems;
}

function checkUrl({ url, allowPrivateAddresses = false }: WebhookOptions): string[] {
  if (typeof url !== 'string' || Token.isUnresolved(url)) return [];
  try {
    parseWebhookUrl(url, allowPrivateAddresses ? 'private' : 'public');
    return checkLength('url', url);
  } catch (error) {
    return [(error as Error).message];
  }
}

function checkLength(name: string, text: string): string[] {
  return text.length > LONGEST_TEXT
    ? [`${name} must have at most ${LONGEST_TEXT} characters (got ${text.length}).`]
    : [];
}

function checkHeaders(options: WebhookOptions): string[] {
  const names = headersOf(options).map(([name]) => name.toLowerCase());
  const problems = names.flatMap((name) => {
    if (!HEADER_NAME.test(name))
      return [
        `secretHeaders: "${name}" is not a valid header name: use letters, digits and hyphens, without spaces.`,
      ];
    const isOwn = OWN_HEADERS.includes(name) || OWN_PREFIXES.some((prefix) => name.startsWith(prefix));
    return isOwn
      ? [`secretHeaders: ${name} is reserved for the sender or the connection: leave it out.`]
      : [];
  });
  const doubled = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  for (const name of doubled) problems.push(`secretHeaders: the header ${name} is given twice.`);
  if (names.length > MOST_HEADERS)
    problems.push(`There are ${names.length} headers with secrets: pass at most ${MOST_HEADERS}.`);
  return problems;
}

function checkNotify({ notify }: WebhookOptions): string[] {
  return notify === undefined || Token.isUnresolved(notify) || /^[^\s@]+@[^\s@]+$/.test(notify)
    ? []
    : [`notify must be an e-mail address (got "${notify}").`];
}

function checkContentType({ contentType }: WebhookOptions): string[] {
  return contentType === undefined || CONTENT_TYPES.includes(contentType)
    ? []
    : [`contentType must be ${CONTENT_TYPES.join(' or ')} (got "${contentType}").`];
}

function checkShape({ shape }: WebhookOptions): string[] {
  return shape === undefined || MESSAGE_SHAPES.includes(shape)
    ? []
    : [`shape must be ${MESSAGE_SHAPES.join(' or ')} (got "${shape}").`];
}

function checkNumbers({ requestTimeout, maxConcurrency, alarmAfter }: WebhookOptions): string[] {
  const problems: string[] = [];
  const timeoutMs = requestTimeout?.toMilliseconds() ?? 1_000;
  if (timeoutMs < 1_000 || timeoutMs > LONGEST_REQUEST.toMilliseconds())
    problems.push(
      `requestTimeout must be 1 to ${LONGEST_REQUEST.toSeconds()} seconds (got ${timeoutMs / 1_000}).`,
    );
  const most = maxConcurrency ?? 2;
  if (!Number.isInteger(most) || most < 2 || most > 1_000)
    problems.push(`maxConcurrency must be a whole number from 2 to 1,000 (got ${most}).`);
  if (alarmAfter !== undefined && alarmAfter.toMilliseconds() < SHORTEST_ALARM.toMilliseconds())
    problems.push(
      `alarmAfter must be at least a minute (got ${alarmAfter.toMilliseconds() / 1_000} seconds).`,
    );
  return problems;
}

function checkRate({ maxPerSecond, maxConcurrency = DEFAULT_CONCURRENCY }: WebhookOptions): string[] {
  const least = maxConcurrency / LONGEST_PAUSE.toSeconds();
  return maxPerSecond === undefined || (maxPerSecond >= least && maxPerSecond <= 1_000)
    ? []
    : [
        `maxPerSecond must be a number from ${least} to 1,000 with a maxConcurrency of ${maxConcurrency} (got ${maxPerSecond}). A lower maxConcurrency allows fewer.`,
      ];
}
