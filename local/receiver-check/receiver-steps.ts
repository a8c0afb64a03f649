// What `webhooks check` posts, in its order: what a real feed may post, then what only a forger posts. At the end the
// returns are forgotten, so that a receiver that erases forgotten returns keeps none of them.
import { formatTestId, makeEndpointTest, parseTestId } from '../../functions/webhook/endpoint-test.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { CHANGE_TYPES, type EventFilter } from '../../shared/contract/event-filter.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import { admitsEvent } from '../../shared/webhooks/webhook-sender.ts';
import { UsageError } from '../cli/failures.ts';
import { exampleAt } from './example-events.ts';

/** The source of the events: a receiver tells them by it from those of a real feed. */
export const CHECK_SOURCE = 'webhook-check';

/** The step with one signed event, as most are. */
export const EVENT_STEP = 'event';

export interface ReceiverStep {
  readonly name: string;
  /** Posted one after the other. */
  readonly posts: readonly CheckPost[];
  /** Whether they are posted at once instead. */
  readonly isAtOnce?: boolean;
  /** Busy is 409: an event of the same return is being handled. */
  readonly expects: 'accepted' | 'accepted or busy' | 'rejected';
  /** What the expected answer shows. */
  readonly shows: string;
  /** For the receiver's developer, after another answer. */
  readonly advice: string;
  /** Where the documents describe it. */
  readonly page: string;
}

export interface CheckPost {
  readonly id: string;
  readonly body: string;
  readonly signing: Signing;
}

/** How a post differs from one that a feed signs with one secret. */
export interface Signing {
  /** The secrets that sign, in the order of their signatures: the receiver's own, and one that it does not know. */
  readonly by: readonly ('own' | 'other')[];
  /** How long ago it was signed; below 0 in the future. */
  readonly ageMs: number;
  /** Whether a byte of the body changed after it was signed. */
  readonly isChanged: boolean;
}

const AS_A_FEED: Signing = { by: ['own'], ageMs: 0, isChanged: false };
/** Twice what a receiver may allow, so that its clock may be wrong by minutes. */
const TOO_OLD_MS = 10 * 60_000;
/** As many as a webhook posts at once by default. */
const AT_ONCE = 5;
/** The most bytes that an event has. */
const LARGEST = 1024 * 1024;
/** The event that most receivers wait for. */
const USUAL_TYPE = 'shipment.status_changed';
const BEYOND_ASCII = 'Größe „S“ № 7 👟';

const ANSWERS = 'docs/webhooks.md#answers';
const ARRIVES = 'docs/webhooks.md#what-arrives';
const CHANGING = 'docs/events/changing.md';

/**
 * Returns the steps. Those whose events the filter excludes have no posts.
 *
 * @param at milliseconds since 1970: no two runs post the same events
 * @param filter the webhook's; its sources do not count
 * @throws UsageError if no recorded event passes the filter
 */
export function receiverSteps(at: number, { sources: _, ...filter }: EventFilter): readonly ReceiverStep[] {
  const { type, status } = usualEvent(filter);
  const generation = at.toString(36);
  // So that no entity is known from an earlier run, with ids that fit in 32 bits.
  const firstReturn = 10_000_000 + ((Math.floor(at / 1_000) * 10) % 9_000_000);
  const returns = Array.from({ length: AT_ONCE }, (_value, index) => firstReturn + index);
  const forgedReturn = firstReturn + AT_ONCE;

  const changeOf = (of: number, sequence: number, ofType = type) =>
    withStatus(exampleAt(ofType, { source: CHECK_SOURCE, generation, group: of, sequence }), status);
  const change = (sequence: number) => changeOf(firstReturn, sequence);
  const test = (sequence: number, more: object = {}) => endpointTest(at, sequence, more);
  /** The posts of events that the filter admits. */
  const posts = (events: readonly FeedEvent[], signing: Partial<Signing> = {}) =>
    events.filter((event) => admitsEvent(filter, event)).map((event) => postOf(event, signing));
  const forged = (sequence: number, signing: Partial<Signing>) =>
    posts([changeOf(forgedReturn, sequence)], signing);
  const [kind = ''] = type.split('.');
  const accepted = { expects: 'accepted', page: ANSWERS } as const;
  const rejected = { expects: 'rejected', page: ARRIVES } as const;

  return [
    {
      ...accepted,
      name: 'test event',
      posts: [postOf(test(1))],
      shows: 'the receiver answers, and has the secret',
      advice: 'Answer 2xx to feed.endpoint_test.',
    },
    {
      ...accepted,
      name: 'text beyond ASCII',
      posts: [postOf(test(2, { text: BEYOND_ASCII }))],
      shows: 'the signature is checked over the bytes as they came',
      advice: 'Check the signature over the bytes as they came, before the JSON is parsed.',
      page: ARRIVES,
    },
    {
      ...accepted,
      name: 'largest body',
      posts: [postOf(largest(test(3, { text: '' })))],
      shows: 'a body of 1 MiB is accepted',
      advice: 'Admit bodies of 1 MiB, in the servers before it as well.',
      page: ARRIVES,
    },
    {
      ...accepted,
      name: EVENT_STEP,
      posts: posts([change(2)]),
      shows: `${type} is accepted`,
      advice: "Read the receiver's log.",
    },
    {
      ...accepted,
      name: 'stale event',
      posts: posts([change(1)]),
      shows: 'an older event after a newer one is no error',
      advice: 'Answer 2xx to an event that is older than what you know, and do nothing.',
    },
    {
      name: 'repeat at once',
      posts: posts([change(3), change(3)]),
      isAtOnce: true,
      expects: 'accepted or busy',
      shows: 'two posts of an event at once are no error',
      advice: 'Answer 409 while an event of the same return is being handled.',
      page: ANSWERS,
    },
    {
      ...accepted,
      name: 'repeat',
      posts: posts([change(3)]),
      shows: 'an event that comes again is no error',
      advice: 'Answer 2xx to an event that you have handled.',
    },
    {
      ...accepted,
      name: `${AT_ONCE} returns at once`,
      posts: posts(returns.map((each) => changeOf(each, each === firstReturn ? 4 : 1))),
      isAtOnce: true,
      shows: 'events of different returns are accepted at once',
      advice: 'Handle different returns at once, or give the webhook a smaller maxConcurrency.',
    },
    {
      ...accepted,
      name: 'unknown field',
      posts: posts([withUnknownFields(change(5))]),
      shows: 'fields of a later release are ignored',
      advice: 'Ignore fields that you do not know.',
      page: CHANGING,
    },
    {
      ...accepted,
      name: 'unknown type',
      posts: posts([{ ...change(6), type: `${kind}.changed_in_a_later_release` } as never]),
      shows: 'types of a later release are accepted',
      advice: 'Answer 2xx to types that you do not know.',
    },
    {
      ...accepted,
      name: 'rotated secret',
      posts: [
        ...posts([change(7)], { by: ['other', 'own'] }),
        ...posts([change(8)], { by: ['own', 'other'] }),
      ],
      shows: 'one right signature of two is enough, whichever it is',
      advice: 'Try each signature of the header, and accept the event if one is right.',
      page: ARRIVES,
    },
    {
      ...rejected,
      name: 'wrong signature',
      posts: forged(1, { by: ['other'] }),
      shows: 'another secret is rejected',
      advice: 'Anybody can post events to it: check the signature with the secret.',
    },
    {
      ...rejected,
      name: 'no signature',
      posts: forged(2, { by: [] }),
      shows: 'a post without a signature is rejected',
      advice: 'Anybody can post events to it: reject a post without a signature.',
    },
    {
      ...rejected,
      name: 'changed byte',
      posts: forged(3, { isChanged: true }),
      shows: 'a body that was changed is rejected',
      advice: 'A body can be changed on its way: sign the whole body, and compare the signature.',
    },
    {
      ...rejected,
      name: 'old timestamp',
      posts: forged(4, { ageMs: TOO_OLD_MS }),
      shows: 'a post of ten minutes ago is rejected',
      advice:
        'A recorded post can be sent again: reject a webhook-timestamp more than five minutes from now.',
    },
    {
      ...rejected,
      name: 'future timestamp',
      posts: forged(5, { ageMs: -TOO_OLD_MS }),
      shows: 'a post of ten minutes later is rejected',
      advice: 'Reject a webhook-timestamp more than five minutes from now, on either side.',
    },
    {
      ...accepted,
      name: 'forgotten returns',
      posts: posts(
        [...returns, forgedReturn].map((each) =>
          changeOf(each, each === firstReturn ? 9 : 6, 'return_group.forgotten'),
        ),
      ),
      shows: 'return_group.forgotten is accepted, also of a return that the receiver does not have',
      advice: 'Answer 2xx to return_group.forgotten, also if you have nothing to erase.',
      page: 'docs/subscribing.md#forgotten-returns',
    },
  ];
}

/** The first recorded event that the filter admits, if need be with a status that the filter names. */
function usualEvent(filter: EventFilter): { readonly type: string; readonly status: string | undefined } {
  const place = { source: CHECK_SOURCE, generation: 'a', group: 1, sequence: 1 };
  for (const type of [USUAL_TYPE, ...CHANGE_TYPES])
    for (const status of [undefined, ...(filter.to ?? [])])
      if (admitsEvent(filter, withStatus(exampleAt(type, place), status))) return { type, status };
  throw new UsageError(
    'No recorded event passes the filter. Give one with --filter, without "from" and "changed".',
  );
}

function withStatus(event: FeedEvent, status: string | undefined): FeedEvent {
  if (status === undefined || !('status' in event.data.object)) return event;
  return { ...event, data: { ...event.data, object: { ...event.data.object, status } } } as FeedEvent;
}

function withUnknownFields(event: FeedEvent): FeedEvent {
  const later = { of_a_later_release: ['unknown'] };
  const data = { ...event.data, ...later, object: { ...event.data.object, ...later } };
  const envelope = { ...event, ofalaterrelease: 'unknown' };
  return { ...envelope, data } as FeedEvent;
}

/** The event of `webhooks test`. @param more fields of its object */
function endpointTest(at: number, sequence: number, more: object) {
  const place = parseTestId(formatTestId(at));
  if (place === undefined) throw new Error('The id of a test can not be read.');
  const event = makeEndpointTest('check', { ...place, sequence }, at * MILLISECOND);
  return { ...event, data: { ...event.data, object: { ...event.data.object, ...more } } };
}

/** The event with a text that makes its body as long as one can be. */
function largest(event: ReturnType<typeof endpointTest>) {
  const text = 'x'.repeat(LARGEST - JSON.stringify(event).length);
  return { ...event, data: { ...event.data, object: { ...event.data.object, text } } };
}

function postOf(event: { readonly id: string }, signing: Partial<Signing> = {}): CheckPost {
  return { id: event.id, body: JSON.stringify(event), signing: { ...AS_A_FEED, ...signing } };
}
