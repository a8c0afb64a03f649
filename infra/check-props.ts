// Checks the construct's props before the deployment, so that neither CloudFormation nor the first tick fails. Reports
// all problems at once, each with a correction.
import { Duration, Token } from 'aws-cdk-lib';
import { SOURCE_NAME } from '../shared/contract/event-id.ts';
import { tokenNames } from '../shared/deployment/token-names.ts';
import { InvalidBaseUrlError, parseBaseUrl } from '../shared/returns-service/base-url.ts';
import { INCLUDABLE } from '../shared/returns-service/read-included.ts';
import {
  DEFAULT_REQUESTS_PER_MINUTE,
  FEWEST_REQUESTS_PER_MINUTE as FEWEST,
  isScheduledInterval,
  LONGEST_REQUEST_TIMEOUT_MS,
  MOST_REQUESTS_PER_MINUTE as MOST,
  problemOfBudgets,
  problemOfLookback,
} from '../shared/source/source-settings.ts';
import { MOST_OWN_NAMES, withOwnNames } from './declared-tokens.ts';
import type { ReturnsChangeFeedProps } from './feed-props.ts';
import { type SourceProps, tokenOf } from './source-props.ts';

/** A deployment reads and writes each of them within two minutes (functions/declared-sources). */
export const MOST_SOURCES = 1_000;

/**
 * Each of the two queues has two at least.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const LEAST_CONCURRENCY = 4;
const MOST_CONCURRENCY = 1_000;

/** @param feed the feed's name in names of tokens. @throws Error that lists all problems */
export function checkProps(path: string, feed: string, props: ReturnsChangeFeedProps): void {
  const problems = [
    ...checkNames(props),
    ...props.sources.flatMap(checkSource),
    ...checkBudgets(props.sources),
    ...checkTokens(props.sources, feed),
    ...checkTables(props),
    ...checkRetention(props.archiveRetention),
    ...checkConcurrency(props.maxConcurrency),
    ...checkPull(props.pull),
  ];
  if (problems.length === 0) return;
  throw new Error(`${path} has invalid props:\n${problems.map((it) => `- ${it}`).join('\n')}`);
}

function checkNames({ sources, addSources = false }: ReturnsChangeFeedProps): string[] {
  if (sources.length === 0 && addSources === false)
    return [
      "There is no source: pass at least one, for instance { name: 'acme', baseUrl: …, token: … }, or addSources: true.",
    ];
  const names = sources.map(({ name }) => name);
  const doubled = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  const problems = [...doubled].map(
    (name) => `There are two sources "${name}": give each a unique name, which identifies its events.`,
  );
  if (sources.length > MOST_SOURCES)
    problems.push(
      `There are ${sources.length} sources: pass at most ${MOST_SOURCES} here, and add the others with ` +
        '"returns-feed sources add", or to a feed in another stack.',
    );
  return problems;
}

function checkSource(source: SourceProps): string[] {
  const { name, baseUrl, requestsPerMinute: requests } = source;
  const problems: string[] = [];
  if (!SOURCE_NAME.test(name))
    problems.push('its name must be 1 to 30 of the characters a-z, 0-9 and -, for instance "acme".');
  if (!Token.isUnresolved(baseUrl)) problems.push(...checkBaseUrl(baseUrl));
  problems.push(...checkDurations(source));
  const unknown = (source.include ?? []).filter((field) => !INCLUDABLE.includes(field));
  if (unknown.length > 0)
    problems.push(`include can't name ${unknown.join(' or ')}: name any of ${INCLUDABLE.join(', ')}.`);
  if (requests !== undefined && !(Number.isInteger(requests) && requests >= FEWEST && requests <= MOST))
    problems.push(
      `requestsPerMinute must be a whole number from ${FEWEST} to ${MOST}, the service's limit; ` +
        `${DEFAULT_REQUESTS_PER_MINUTE} leaves a fifth to other clients.`,
    );
  return problems.map((problem) => `Source "${name}": ${problem}`);
}

/** The budget of a token is shared by the sources that use it. */
function checkBudgets(sources: readonly SourceProps[]): string[] {
  const tokens = new Set(sources.map(tokenOf));
  return [...tokens].flatMap(
    (token) => problemOfBudgets(sources.filter((it) => tokenOf(it) === token)) ?? [],
  );
}

/** See declared-tokens.ts. */
function checkTokens(sources: readonly SourceProps[], feed: string): string[] {
  const named = withOwnNames(sources, feed);
  const tokens = new Set(named.map(tokenOf));
  if (tokens.size <= MOST_OWN_NAMES) return [];
  const { ofSecrets, ofParameters } = tokenNames(feed);
  return [
    `${tokens.size} tokens have names of their own, and the poller's policies have room for ${MOST_OWN_NAMES}: begin the ` +
      `names of the other secrets with ${ofSecrets}<host>/, those of parameters with ${ofParameters}<host>/, the host ` +
      `of the source's address. The first is that of "${named[0]?.name}".`,
  ];
}

function checkBaseUrl(baseUrl: string): string[] {
  try {
    parseBaseUrl(baseUrl);
    return [];
  } catch (error) {
    if (error instanceof InvalidBaseUrlError) return [error.message];
    throw error;
  }
}

function checkDurations({ interval, lookback, settle, reconcile, requestTimeout }: SourceProps): string[] {
  const problems: string[] = [];
  if (interval !== undefined && !isScheduledInterval(interval.toMilliseconds() / 1_000))
    problems.push(
      'interval must be 2, 3, 4, 5, 6, 10, 12, 15, 20 or 30 seconds, or whole minutes up to a day, ' +
        'for instance Duration.seconds(10).',
    );
  const atLeast = (text: string, duration: Duration | undefined, least: Duration) => {
    if (duration !== undefined && duration.toMilliseconds() < least.toMilliseconds())
      problems.push(`${text} must be at least ${least.toHumanString()}.`);
  };
  atLeast('lookback', lookback, Duration.seconds(1));
  atLeast('settle', settle, Duration.seconds(1));
  const problem = problemOfLookback({
    lookbackMs: lookback?.toMilliseconds(),
    settleMs: settle?.toMilliseconds(),
  });
  if (problem !== undefined) problems.push(problem);
  atLeast('reconcile', reconcile, Duration.minutes(1));
  if (
    interval !== undefined &&
    reconcile !== undefined &&
    reconcile.toMilliseconds() < interval.toMilliseconds()
  )
    problems.push('reconcile must be at least as long as interval: walks begin in ticks.');
  atLeast('requestTimeout', requestTimeout, Duration.seconds(1));
  if (requestTimeout !== undefined && requestTimeout.toMilliseconds() > LONGEST_REQUEST_TIMEOUT_MS)
    problems.push(
      `requestTimeout must be at most ${LONGEST_REQUEST_TIMEOUT_MS / 1_000} seconds, to fit into a tick.`,
    );
  return problems;
}

function checkTables({ tables = {} }: ReturnsChangeFeedProps): string[] {
  const problems: string[] = [];
  if (tables.ledger !== undefined && tables.ledger.tableStreamArn === undefined)
    problems.push(
      'tables.ledger has no stream, and the relays need one: pass a table with stream: NEW_IMAGE, or import the ' +
        'table together with its stream: Table.fromTableAttributes(…, { tableArn, tableStreamArn }).',
    );
  const { snapshots, ledger, sources } = tables;
  const given = [snapshots, ledger, sources].filter((table) => table !== undefined).length;
  if (given !== 0 && given !== 3)
    problems.push(
      'tables.snapshots, tables.ledger and tables.sources belong together, because they share event numbers: ' +
        'pass all three or none.',
    );
  return problems;
}

function checkRetention(retention: Duration | undefined): string[] {
  const days = retention?.toMilliseconds() ?? 86_400_000;
  return days >= 86_400_000 && days % 86_400_000 === 0
    ? []
    : ['archiveRetention must be whole days, for instance Duration.days(30).'];
}

function checkConcurrency(concurrency = LEAST_CONCURRENCY): string[] {
  return Number.isInteger(concurrency) && concurrency >= LEAST_CONCURRENCY && concurrency <= MOST_CONCURRENCY
    ? []
    : [`maxConcurrency must be a whole number from ${LEAST_CONCURRENCY} to ${MOST_CONCURRENCY}.`];
}

function checkPull(pull: ReturnsChangeFeedProps['pull']): string[] {
  const { maxConcurrency = 1 } = typeof pull === 'object' ? pull : {};
  return Number.isInteger(maxConcurrency) && maxConcurrency >= 1
    ? []
    : ['pull.maxConcurrency must be a whole number from 1 on, for instance 20.'];
}
