// The one verdict about a feed, over its sources and everything that gets its events. `status`, the headline of the
// console, its badge and its page Stuck all show this one. Pure.
import { ORDERED_TRIES } from '../../shared/deployment/ordered-tries.ts';
import { describeCondition } from '../../shared/guarding/describe-hold.ts';
import { formatInstant, type Instant, MILLISECOND } from '../../shared/instant.ts';
import { counted } from '../cli/counts.ts';
import { type BehindReturn, type DestinationStatus, describeDestinations } from './destination-status.ts';
import { explainFailure } from './explain-failure.ts';
import { nameOfArn, type SubscriberStatus } from './list-subscribers.ts';
import type { Overview } from './load-overview.ts';
import type { HoldStatus, NextStep, SourceStatus } from './source-status.ts';

/** One cause that needs an operator. */
export type Concern = {
  /** For instance `source acme` or `http://127.0.0.1:3000/hook`. */
  readonly subject: string;
  /** The rest of the sentence, for instance `is held` or `fails`. */
  readonly is: string;
  /** ISO 8601; null if unknown. */
  readonly since: string | null;
  /** The problem, in sentences. */
  readonly message: string;
  /** Of a hold: what is not done meanwhile, and what happens if nobody acts. */
  readonly meanwhile?: string;
  readonly nextSteps: readonly NextStep[];
} & ConcernDetail;

type ConcernDetail =
  | { readonly kind: 'held'; readonly source: string; readonly hold: HoldStatus }
  | { readonly kind: 'stopped' | 'failing' | 'left_out' | 'set_aside'; readonly status: SourceStatus }
  | {
      readonly kind: 'receiver_failing' | 'receiver_paused' | 'receiver_dropped' | 'behind';
      readonly destination: DestinationStatus;
      readonly returns: readonly BehindReturn[];
    }
  | { readonly kind: 'dead_letters' | 'reader_behind' };

export interface FeedVerdict {
  /** `new`: nothing was polled yet. */
  readonly verdict: 'well' | 'attention' | 'new';
  /** The worst first. */
  readonly concerns: readonly Concern[];
  /** Sentences about what could not be loaded: the verdict is about the rest. */
  readonly unknown: readonly string[];
  /** The start of the last complete poll of the source whose poll is the oldest; null if one has none. */
  readonly polledAt: string | null;
  /** Groups that the first reading of sources has read so far; null if no baseline is under way. */
  readonly baseline: number | null;
  /** Returns and events that destinations have not got yet, without readers: those read when they like. */
  readonly waiting: number;
  /** Whether there may be more than these. */
  readonly isMoreWaiting: boolean;
  readonly destinations: readonly DestinationStatus[];
}

/** @param flags that name the place, for instance ` --data state` */
export function judgeFeed(overview: Overview, now: Instant, flags: string): FeedVerdict {
  const sources = (overview.sources ?? [])
    .map(({ status }) => status)
    .filter(({ verdict }) => verdict !== 'removed' && verdict !== 'paused');
  const destinations = describeDestinations(overview, now);
  const concerns = [
    ...sources.flatMap(concernsOfSource).sort((a, b) => rank(a) - rank(b)),
    ...destinations
      .filter(({ needsAttention }) => needsAttention)
      .flatMap((each) => concernsOfDestination(each, now, flags)),
    ...overview.subscribers.subscribers.flatMap(concernOfSubscriber),
  ];
  const sentTo = destinations.filter(({ kind }) => kind !== 'reader');
  const baselines = sources.filter(({ baseline }) => baseline.status === 'running');
  const polls = sources.map(({ polledAt }) => polledAt);
  return {
    verdict:
      concerns.length > 0 ? 'attention' : overview.sources !== null && sources.length === 0 ? 'new' : 'well',
    concerns,
    unknown: overview.problems,
    polledAt: polls.includes(null) ? null : (polls.toSorted()[0] ?? null),
    baseline:
      baselines.length === 0 ? null : baselines.reduce((sum, { baseline }) => sum + baseline.groups, 0),
    waiting: sentTo.reduce((sum, { waiting }) => sum + (waiting ?? 0), 0),
    isMoreWaiting: sentTo.some(({ isMoreWaiting }) => isMoreWaiting),
    destinations,
  };
}

const KINDS: readonly Concern['kind'][] = ['held', 'stopped', 'failing', 'left_out', 'set_aside'];
const rank = ({ kind }: Concern) => KINDS.indexOf(kind);

function concernsOfSource(status: SourceStatus): Concern[] {
  const { source, held, setAside, places } = status;
  const subject = `source ${source}`;
  const oldest = (all: readonly { readonly since: string }[]) => all.map(({ since }) => since).toSorted()[0];
  return [
    ...concernOfReading(status),
    ...held.filter(({ phase }) => phase === 'holding').map((hold) => concernOfHold(source, hold)),
    ...(places.length === 0
      ? []
      : [
          {
            ...{ kind: 'left_out' as const, subject, status, since: null },
            is: 'is not read completely',
            message: `Every answer with the returns of ${counted(places.length, 'time')} fails: ${places[0]?.reason}.`,
            nextSteps: [ask("Report the reason to the service's operators. The feed tries them again.")],
          },
        ]),
    ...(setAside.length === 0
      ? []
      : [
          {
            ...{ kind: 'set_aside' as const, subject, status, since: oldest(setAside) ?? null },
            is: `shows ${counted(setAside.length, 'return')} that can't be read`,
            message: `${setAside[0]?.returnGroupId ?? 'A row without an id'}: ${setAside[0]?.reason}.`,
            nextSteps: [ask("Report the reason to the service's operators. The feed reads them again.")],
          },
        ]),
  ];
}

/** The codes of reasons why nothing polls a source. */
const STOPPED: ReadonlySet<string> = new Set(['silent', 'restored', 'ahead']);

/** Why polls fail, or why there are none. The concerns `left_out` and `set_aside` have what can't be read. */
function concernOfReading(status: SourceStatus): Concern[] {
  const { source, lastFailure, lastTickAt, degradedSince, nextSteps } = status;
  const reasons = reasonsOf(status);
  const isResting = status.restsUntil !== null;
  if (reasons.length === 0 && !isResting) return [];
  const isStopped = status.reasons.some(({ code }) => STOPPED.has(code));
  return [
    {
      ...{ kind: isStopped ? 'stopped' : 'failing', subject: `source ${source}`, status, nextSteps },
      is: isStopped ? 'is not polled' : 'is not read completely',
      since: isStopped ? lastTickAt : (lastFailure?.since ?? degradedSince),
      message: reasons.join(' '),
    },
  ];
}

/** The sentences about the reading, each once: a reason may repeat the failure of the last poll. */
function reasonsOf({ reasons, lastFailure }: SourceStatus): string[] {
  const others = reasons
    .filter(({ code }) => code !== 'unreadable' && code !== 'rows_fail')
    .map(({ message }) => message)
    .filter((message) => lastFailure === null || !message.includes(lastFailure.message));
  return [...others, ...(lastFailure === null ? [] : [lastFailure.message])];
}

function concernOfHold(source: string, hold: HoldStatus): Concern {
  const { message, consequence, since, release, adopt } = hold;
  return {
    ...{ kind: 'held', subject: `source ${source}`, is: 'is held', source, hold, since },
    ...{ message, meanwhile: consequence },
    nextSteps: [
      ...(release === null ? [] : [{ text: `${describeCondition(hold)}, release it:`, command: release }]),
      ...(adopt === null ? [] : [{ text: adoptConditionOf(hold), command: adopt }]),
    ],
  };
}

/** When an adoption is right, before its command. */
export function adoptConditionOf({ kind }: Pick<HoldStatus, 'kind'>): string {
  return kind === 'backfill'
    ? 'If they need none of them, take them over without events:'
    : 'If only the notation is new, take the changes over without events:';
}

/** One concern for a receiver that fails, however many returns wait for it. */
function concernsOfDestination(destination: DestinationStatus, now: Instant, flags: string): Concern[] {
  if (destination.kind === 'reader') return [concernOfReader(destination, now)];
  switch (destination.state) {
    case 'failing':
      return [concernOfFailing(destination, flags)];
    case 'paused':
      return [concernOfPaused(destination, flags)];
    case 'dropped':
      return [concernOfDropped(destination, flags)];
    // Dead letters are of subscribers.
    default:
      return concernsOfBehind(destination, flags);
  }
}

function concernOfFailing(destination: DestinationStatus, flags: string): Concern {
  const { destination: name, kind, title, lastFailure, failingSince, returns } = destination;
  const { what, advice } = explainFailure(lastFailure);
  const isForwarded = kind === 'forwarded';
  return {
    ...{ kind: 'receiver_failing', subject: title, is: 'fails', since: failingSince, message: `${what}.` },
    nextSteps: [
      ask(advice),
      ...(isForwarded && lastFailure === 'answered 401'
        ? [step('This command prints it:', `webhooks secret${flags}`)]
        : []),
      ...(isForwarded ? [] : [step('Then test it:', `webhooks test ${name}${flags}`)]),
    ],
    ...{ destination, returns },
  };
}

function concernOfPaused(destination: DestinationStatus, flags: string): Concern {
  const { destination: name, title, returns } = destination;
  return {
    ...{ kind: 'receiver_paused', subject: title, is: 'is paused', since: null },
    message: 'Nothing is posted.',
    nextSteps: [step('Resume it:', `webhooks resume ${name}${flags}`)],
    ...{ destination, returns },
  };
}

/** It has not got all events, and no `watch` posts them any more. */
function concernOfDropped(destination: DestinationStatus, flags: string): Concern {
  const { title, waiting, waitingEvents, isMoreWaiting, lastAcceptedAt, returns } = destination;
  const missing =
    waiting === null || waitingEvents === null
      ? 'It may lack events'
      : `It lacks ${isMoreWaiting ? 'at least ' : ''}${counted(waitingEvents, 'event')} of ${counted(waiting, 'return')}`;
  return {
    ...{ kind: 'receiver_dropped', subject: title, is: 'gets no events any more', since: null },
    message: `${missing}, last accepted ${lastAcceptedAt ?? 'never'}. The last "watch" was started without it.`,
    nextSteps: [
      ask(`Start "watch" again with --forward-to ${title}.`),
      step('If it needs them no more:', `webhooks remove ${destination.destination}${flags}`),
    ],
    ...{ destination, returns },
  };
}

/** Returns with the same reason together: they need the same correction. */
function concernsOfBehind(destination: DestinationStatus, flags: string): Concern[] {
  const { destination: name, kind, title, isCut } = destination;
  const byReason = Map.groupBy(destination.returns, ({ reason }) => reason);
  return [...byReason].map(([reason, returns]) => {
    const { what, advice } = explainFailure(reason);
    const since = returns.flatMap((each) => each.since ?? []).toSorted()[0] ?? null;
    return {
      ...{ kind: 'behind', subject: title, since },
      is: `does not accept ${isCut ? 'at least ' : ''}${counted(returns.length, 'return')}`,
      message: `${what}.`,
      nextSteps: [
        ...(kind === 'relay' ? [] : [ask(advice)]),
        step('Once the cause is corrected, try again:', `redrive --to ${name}${flags}`),
      ],
      ...{ destination, returns },
    };
  });
}

function concernOfSubscriber(subscriber: SubscriberStatus): Concern[] {
  const { queue, deadLetters, deadLetterArn } = subscriber;
  if (deadLetters === null || deadLetters === 0 || deadLetterArn === null) return [];
  return [
    {
      ...{ kind: 'dead_letters', subject: `subscriber ${queue}`, since: null },
      is: `failed at ${counted(deadLetters, 'event')}`,
      message: `Each failed ${ORDERED_TRIES} times and is in the queue ${nameOfArn(deadLetterArn)} (docs/runbook.md, OrderedDeadLetters).`,
      nextSteps: [
        {
          text: 'Once the subscriber is repaired, move them back:',
          command: `aws sqs start-message-move-task --source-arn ${deadLetterArn}`,
        },
      ],
    },
  ];
}

function concernOfReader(
  { title, waiting, isMoreWaiting, oldestMs, lastAskedAt }: DestinationStatus,
  now: Instant,
): Concern {
  const about = { kind: 'reader_behind', subject: title } as const;
  const asked = `It last asked at ${lastAskedAt}.`;
  if (waiting === null)
    return {
      ...{ ...about, is: 'misses events', since: null },
      message: `What followed its offset has expired. ${asked}`,
      nextSteps: [
        ask('Its client must read `state`, and go on from the offset that this names (docs/pulling.md).'),
      ],
    };
  return {
    ...about,
    is: `has not read ${isMoreWaiting ? 'at least ' : ''}${counted(waiting, 'event')}`,
    since: oldestMs === null ? null : formatInstant(now - oldestMs * MILLISECOND),
    message: asked,
    nextSteps: [ask('See whether its client runs, or fails at a page and asks for it again.')],
  };
}

function ask(text: string): NextStep {
  return { text, command: null };
}

/** @param command of `returns-feed` */
function step(text: string, command: string): NextStep {
  return { text, command: `npx --no returns-feed ${command}` };
}
