// Any rule and any filter match the same events for AWS's own matcher as for ours. It is EventBridge's: SNS has published
// none for message attributes. SNS documents the same operators, so an event's attributes are judged as a flat event.
import type * as events from 'aws-cdk-lib/aws-events';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OnChangeOptions } from '../../infra/bus-subscribers.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import {
  type EventFilter,
  filterAttributes,
  filterPolicy,
  matchesFilter,
} from '../../shared/contract/event-filter.ts';
import type { StatusKind } from '../../shared/contract/statuses.ts';
import { WATCHED_FIELDS } from '../../shared/contract/watched-fields.ts';
import { ALL_TYPES, anEvent, filters, SOURCES, STATUSES, someOf, traits } from '../contract/drawn-events.ts';
import { compileEventPattern, type EventPattern } from '../engines/event-pattern.ts';
import { type EventRuler, startEventRuler } from '../engines/event-ruler.ts';
import { runs } from '../property-runs.ts';
import { aFeed, aSource, newStack } from './synthesize.ts';

const PAIRS = runs(5_000);
/** Java and Node answer each other faster if they need not for each event. */
const EVENTS_AT_ONCE = 10;

/** The start of each event's source on the bus. */
const FEED = 'returns-change-feed.';

let ruler: EventRuler;
let missing: string | undefined;

beforeAll(async () => {
  const started = await startEventRuler();
  if (typeof started === 'string') missing = started;
  else ruler = started;
}, 240_000);
afterAll(async () => {
  await ruler?.stop();
});
beforeEach(({ skip }) => {
  if (missing !== undefined) skip(missing);
});

/** Returns AWS's verdicts. The matcher that other tests use in place of EventBridge must agree. */
async function judge(pattern: EventPattern, events: readonly unknown[]): Promise<boolean[]> {
  const verdicts = await Promise.all(events.map((event) => ruler.matches(pattern, event)));
  expect(events.map(compileEventPattern(pattern))).toEqual(verdicts);
  return verdicts;
}

/** As many as are judged by one pattern. */
const several = <Value>(value: fc.Arbitrary<Value>) =>
  fc.array(value, { minLength: EVENTS_AT_ONCE, maxLength: EVENTS_AT_ONCE });

const drawnEvents = fc
  .tuple(fc.constantFrom(...ALL_TYPES), traits)
  .map(([type, others]) => anEvent({ type, ...others }, 0));

type Options = Omit<OnChangeOptions<StatusKind>, 'target'>;

const options = fc
  .constantFrom(...Object.entries(STATUSES))
  .chain(([entity, statuses]) => {
    const oneOrSome = fc.oneof(fc.constantFrom(...statuses), someOf(statuses));
    const changed = someOf(WATCHED_FIELDS[entity as StatusKind]);
    return fc.record(
      { entity: fc.constant(entity), to: oneOrSome, from: oneOrSome, changed, sources: someOf(SOURCES) },
      { requiredKeys: ['entity'] },
    );
  })
  .filter((drawn) => 'to' in drawn || 'from' in drawn || 'changed' in drawn)
  .map((drawn) => drawn as Options);

/** Events that often have what a rule's options ask for, some of them of another application. */
function eventsFor({ entity, to, from = [], changed, sources = SOURCES }: Options) {
  const wanted = {
    type: fc.constantFrom(`${entity}.created`, `${entity}.status_changed`, `${entity}.updated`),
    source: fc.constantFrom(...sources),
    status: fc.constantFrom(...listOf<string>(to ?? STATUSES[entity])),
    before: fc.constantFrom(...listOf(from), ...STATUSES[entity]),
    changed: fc.constantFrom(changed === undefined ? ['status'] : listOf(changed)),
  };
  const event = fc
    .tuple(fc.constantFrom(...ALL_TYPES), traits, fc.record(wanted, { requiredKeys: [] }))
    .map(([type, others, some]) => anEvent({ type, ...others, ...some }, 0));
  const prefix = fc.constantFrom(FEED, FEED, 'returns-change-feeder.');
  return several(fc.record({ event, prefix }));
}

const rules = options.chain((drawn) => fc.record({ drawn: fc.constant(drawn), published: eventsFor(drawn) }));

test('the rule of `onChange` matches the events that its options name', async () => {
  const patternOf = openFeed();
  let matched = 0;
  const property = fc.asyncProperty(rules, async ({ drawn, published }) => {
    const onBus = published.map(({ event, prefix }) => ({
      ...{ source: prefix + sourceOf(event), 'detail-type': event.type, detail: event },
    }));

    const verdicts = await judge(patternOf(drawn), onBus);

    expect(verdicts).toEqual(published.map(({ event, prefix }) => prefix === FEED && isMeant(drawn, event)));
    matched += verdicts.filter(Boolean).length;
  });

  await fc.assert(property, { numRuns: PAIRS / EVENTS_AT_ONCE });

  expect(matched).toBeGreaterThan(PAIRS / 20);
});

test('the filter policy of a subscription matches the events that pass the filter', async () => {
  let matched = 0;
  const property = fc.asyncProperty(filters, several(drawnEvents), async (filter, published) => {
    const policy = filterPolicy(filter);

    const verdicts = await judge(policy, published.map(filterAttributes));

    expect(verdicts).toEqual(published.map((event) => passes(filter, event)));
    expect(published.map((event) => matchesFilter(filter, event))).toEqual(verdicts);
    matched += verdicts.filter(Boolean).length;
  });

  await fc.assert(property, { numRuns: PAIRS / EVENTS_AT_ONCE });

  expect(matched).toBeGreaterThan(PAIRS / 50);
});

/** The meaning of the options, independent of patterns. */
function isMeant({ entity, to, from, changed, sources = SOURCES }: Options, event: FeedEvent): boolean {
  const { status, before } = statusesIn(event);
  const isFirst = event.type === `${entity}.created` && from === undefined && changed === undefined;
  const isChange = event.type === `${entity}.status_changed`;
  const isUpdate = event.type === `${entity}.updated` && from === undefined && changed !== undefined;
  return (
    (isFirst || isChange || isUpdate) &&
    sources.includes(sourceOf(event)) &&
    (to === undefined || listOf(to).some((it) => it === status)) &&
    (from === undefined || listOf(from).some((it) => it === before)) &&
    (changed === undefined || listOf<string>(changed).some((field) => changedIn(event).includes(field)))
  );
}

/** The filter's meaning, independent of policies. */
function passes({ sources, entities, types, to, from, changed }: EventFilter, event: FeedEvent): boolean {
  const [kind = '', what = ''] = event.type.split('.');
  const { status, before } = statusesIn(event);
  const known = (what: RegExp, of: string) => (what.test(of) ? (STATUSES[kind as StatusKind] ?? []) : []);
  const named: readonly string[] = types ?? ALL_TYPES.filter((type) => !type.startsWith('feed.'));
  const kinds: readonly string[] = entities ?? [kind];
  const reached = known(/^(created|status_changed)$/, what);
  const left = known(/^status_changed$/, what);
  return (
    named.includes(event.type) &&
    kinds.includes(kind) &&
    (sources ?? SOURCES).includes(sourceOf(event)) &&
    (to === undefined || reached.some((it) => it === status && to.some((wanted) => wanted === it))) &&
    (from === undefined || left.some((it) => it === before && from.some((wanted) => wanted === it))) &&
    (changed === undefined || changed.some((field) => changedIn(event).includes(field)))
  );
}

function statusesIn({ data }: FeedEvent): { readonly status?: unknown; readonly before?: unknown } {
  const { object, previous_attributes: before } = data as Record<string, { status?: unknown } | undefined>;
  return { status: object?.status, before: before?.status };
}

function changedIn({ data }: FeedEvent): readonly string[] {
  return 'changed' in data ? data.changed : [];
}

/** @returns the pattern of a new rule of one feed */
function openFeed(): (options: Options) => EventPattern {
  const stack = newStack();
  const { feed } = aFeed({ sources: SOURCES.map((name) => aSource(stack, { name })) }, stack);
  const target = { bind: () => ({ arn: 'arn:aws:sqs:eu-west-1:111111111111:target' }) };
  let count = 0;
  return (drawn) => {
    const { defaultChild } = feed.onChange(`Rule${count++}`, { ...drawn, target }).node;
    return stack.resolve((defaultChild as events.CfnRule).eventPattern);
  };
}

function sourceOf({ source }: FeedEvent): string {
  return source.slice(source.lastIndexOf('/') + 1);
}

function listOf<Status extends string>(statuses: Status | readonly Status[]): readonly Status[] {
  return typeof statuses === 'string' ? [statuses] : statuses;
}
