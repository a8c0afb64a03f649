// Checks a subscription of the ordered topic before the deployment, so that SNS, SQS and Lambda accept it. Reports all
// problems at once.
import { Duration } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { checkFilter, type EventFilter } from '../shared/contract/event-filter.ts';
import type { MessageShape } from '../shared/deployment/message-shape.ts';

/** https://docs.aws.amazon.com/general/latest/gr/sns.html */
export const MOST_SUBSCRIPTIONS = 100;
export const LONGEST_VISIBILITY = Duration.hours(12);

export interface CheckedSubscription {
  readonly filter?: EventFilter;
  /** @default 'event' */
  readonly shape?: MessageShape | undefined;
  readonly visibilityTimeout?: Duration;
  /** The function that consumes the queue; undefined for another consumer. */
  readonly fn: lambda.IFunction | undefined;
  /** The names of the feed's sources. */
  readonly sources: readonly string[];
  /** The names of the topic's other subscriptions. */
  readonly others: readonly string[];
}

/** @throws Error that lists all problems */
export function checkSubscription(name: string, checked: CheckedSubscription): void {
  const problems = problemsOfSubscription(name, checked);
  if (problems.length === 0) return;
  throw new Error(
    `The ordered subscription ${name} is invalid:\n${problems.map((it) => `- ${it}`).join('\n')}`,
  );
}

export function problemsOfSubscription(name: string, checked: CheckedSubscription): string[] {
  return [
    ...checkName(name, checked),
    ...checkCount(checked),
    ...checkFilterOf(checked),
    ...checkVisibility(checked),
  ];
}

function checkName(name: string, { fn, others }: CheckedSubscription): string[] {
  if (!others.includes(name)) return [];
  return [
    fn === undefined
      ? 'The id is in use by another subscription, or is the name of a subscribed function: choose another id.'
      : 'The function is already subscribed: add it once, with a filter for all events that it handles.',
  ];
}

function checkCount({ others }: CheckedSubscription): string[] {
  return others.length < MOST_SUBSCRIPTIONS
    ? []
    : [
        `The topic has ${others.length} subscriptions, and SNS allows no more: ` +
          'combine several subscribers into one, or use the bus (onChange).',
      ];
}

function checkFilterOf({ filter = {}, shape, sources }: CheckedSubscription): string[] {
  const unknown = (filter.sources ?? []).filter((source) => !sources.includes(source));
  const problems = unknown.map(
    (source) => `filter.sources: there is no source "${source}": write one of "${sources.join('", "')}".`,
  );
  try {
    checkFilter(filter, shape);
    return problems;
  } catch (error) {
    return [...problems, (error as Error).message];
  }
}

function checkVisibility({ visibilityTimeout, fn }: CheckedSubscription): string[] {
  const seconds = visibilityTimeout?.toSeconds();
  const timeout = timeoutOf(fn)?.toSeconds() ?? 0;
  if (seconds === undefined || (seconds >= timeout && seconds <= LONGEST_VISIBILITY.toSeconds())) return [];
  return [
    fn === undefined
      ? `visibilityTimeout must be at most 12 hours (got ${seconds} seconds).`
      : `visibilityTimeout must be at least the timeout of ${fn.node.path}, ${timeout} seconds, and at most 12 hours ` +
        `(got ${seconds} seconds). AWS recommends six times the function's timeout.`,
  ];
}

/** The function's timeout; undefined for an imported function. */
export function timeoutOf(fn: lambda.IFunction | undefined): Duration | undefined {
  return fn instanceof lambda.Function ? (fn.timeout ?? Duration.seconds(3)) : undefined;
}
