// Formats an explanation as text: the group's state, how far its events were sent, and the events.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { WATCHED_FIELDS } from '../../shared/contract/watched-fields.ts';
import { FORWARD_PREFIX } from '../../shared/deployment/destinations.ts';
import { formatEntry } from '../cli/entries.ts';
import { createMoments, moment, shortMoment } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { describeChange, nameOf } from '../feed/format-event.ts';
import { HANDED_OVER } from '../feed/handed-over.ts';
import type { ExplainedEntity, ExplainedEvent, ExplainedMark, Explanation } from './explain-group.ts';

type Known = NonNullable<Explanation['snapshot']>;

/** @param now milliseconds since the epoch */
export function formatExplanation(explanation: Explanation, now: number): string[] {
  const { source, generation, returnGroupId, snapshot, setAside, events, marks } = explanation;
  const lines = [`return group ${returnGroupId} of source ${source}, generation ${generation}`];
  const add = (label: string, ...texts: readonly string[]) => lines.push(...formatEntry(label, texts));
  if (snapshot === null) add('known', 'nothing');
  else addSnapshot(add, snapshot, now);
  if (setAside !== null)
    add('set aside', `it can't be read: ${setAside.reason}; since ${moment(setAside.since, now)}`);
  for (const mark of marks) add(...markEntry(mark, now));
  if (events.length === 0) add('events', 'none in the ledger');
  else lines.push('  events');
  for (const each of events) lines.push(...eventLines(each, marks, now));
  return lines;
}

type Add = (label: string, ...texts: readonly string[]) => void;

function addSnapshot(add: Add, snapshot: Known, now: number): void {
  const { version, lastNumber, createdAt, updatedAt, shownAt, removedAt, isForgotten, missingSince } =
    snapshot;
  const events = lastNumber === 0 ? 'no event yet' : `events up to number ${lastNumber}`;
  if (isForgotten && removedAt !== null) {
    add('known', `only its numbers (${events}): it was forgotten ${moment(removedAt, now)}`);
    return;
  }
  add('known', `${events}, saved ${version === 1 ? 'once' : `${version} times`}`);
  if (removedAt !== null) add('removed', `published as removed ${moment(removedAt, now)}`);
  if (missingSince !== null)
    add('missing', `look-ups by its id find nothing since ${moment(missingSince, now)}`);
  add('shown', `last seen in this state ${moment(shownAt, now)}`);
  add('stamps', `created ${shortMoment(createdAt)}, updated ${shortMoment(updatedAt)}`);
  const { return_outcome, credit_method, return_method, order } = snapshot.group;
  const fields = { return_outcome, credit_method, return_method, order: order.name };
  add('group', formatFields(fields));
  for (const entity of snapshot.entities) add('', ...entityTexts(entity, now));
}

function entityTexts({ key, object, missingSince, unpublished }: ExplainedEntity, now: number): string[] {
  const names = Object.keys(unpublished);
  return [
    `${key}: ${formatFields(pick(object, SHOWN[String(object.type)] ?? []))}`,
    ...(missingSince === null ? [] : [`  not shown since ${moment(missingSince, now)}: missing`]),
    ...(names.length === 0 ? [] : [`  filled in, not published yet: ${names.join(', ')}`]),
  ];
}

/** The fields whose changes make events; `--json` prints all fields. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  ...WATCHED_FIELDS,
  refund_transaction: ['amount', 'gateway'],
};

function pick(object: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

/** Omits null and empty fields: they are the majority in most entities. */
function formatFields(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return [name === 'status' ? text : `${name} ${text}`];
  });
  return parts.length === 0 ? '–' : parts.join(', ');
}

function markEntry(mark: ExplainedMark, now: number): [label: string, text: string] {
  const { destination, sentThrough, behind, failingSince, isWebhook } = mark;
  const through = sentThrough === null ? 'nothing sent' : `sent through ${sentThrough}`;
  const since = failingSince === null ? '' : `, failing since ${moment(failingSince, now)}`;
  const text = behind === null ? through : `${through}; behind at ${behind}${since}`;
  if (isWebhook)
    return [destination.startsWith(FORWARD_PREFIX) ? 'forwarded' : 'webhook', `${destination}: ${text}`];
  return [destination === HANDED_OVER ? 'handed over' : destination, text];
}

function eventLines(
  { sequence, event, undecodable }: ExplainedEvent,
  marks: readonly ExplainedMark[],
  now: number,
): string[] {
  const unsent = marks.filter(({ sentThrough, isWebhook }) =>
    sentThrough === null ? !isWebhook : sentThrough < sequence,
  );
  const notSent =
    unsent.length === 0 ? '' : ` [not sent: ${unsent.map(({ destination }) => destination).join(', ')}]`;
  const what = event === null ? `can't be decoded: ${printable(undecodable ?? '')}` : describe(event, now);
  return [`  ${String(sequence).padStart(4)}  ${what}${notSent}`];
}

function describe(event: FeedEvent, now: number): string {
  const { by, through } = event.data.observed;
  return `${shortMoment(by)}  ${through.padEnd(14)}  ${nameOf(event)}: ${describeChange(event, createMoments({ now: () => now }))}`;
}
