// Formats an explanation as text: the group's state, how far its events were sent, and the events.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { WATCHED_FIELDS } from '../../shared/contract/watched-fields.ts';
import { FORWARD_PREFIX, WATCH_MARK } from '../../shared/deployment/destinations.ts';
import { formatEntry } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { wrapWords } from '../cli/wrap.ts';
import { describeChange, nameOf } from '../feed/format-event.ts';
import {
  type ExplainedEntity,
  type ExplainedEvent,
  type ExplainedMark,
  type Explanation,
  isSkipped,
} from './explain-group.ts';

type Known = NonNullable<Explanation['snapshot']>;

export function formatExplanation(explanation: Explanation, moments: Moments, layout: Layout): string[] {
  const { source, generation, returnGroupId, snapshot, setAside, holds, events, marks } = explanation;
  const { width, colors } = layout;
  const lines = [`return group ${returnGroupId} of source ${source}, generation ${generation}`];
  const add: Add = (label, ...texts) => lines.push(...formatEntry(label, texts, width));
  const warn: Add = (label, ...texts) => {
    lines.push(...formatEntry(label, texts, width).map((line) => colors.yellow(line)));
  };
  if (snapshot === null) add('known', 'nothing');
  else addSnapshot(add, snapshot, moments);
  if (setAside !== null) warn('set aside', `${setAside.reason}; since ${moments.withAge(setAside.since)}`);
  for (const hold of holds) warn(`hold ${hold.number}`, ...holdTexts(hold));
  for (const mark of marks) (mark.behind === null ? add : warn)(...markEntry(mark, moments));
  if (events.length === 0) add('events', 'none in the ledger');
  else lines.push('  events');
  for (const each of events) lines.push(...eventLines(each, marks, moments, layout));
  lines.push(`  times in ${moments.zone}`);
  return lines;
}

type Add = (label: string, ...texts: readonly string[]) => void;

function addSnapshot(add: Add, snapshot: Known, moments: Moments): void {
  const { version, lastNumber, createdAt, updatedAt, receivedAt, removedAt, isForgotten, missingSince } =
    snapshot;
  const events = lastNumber === 0 ? 'no event yet' : `events up to number ${lastNumber}`;
  if (isForgotten && removedAt !== null) {
    add('known', `only its numbers (${events}): it was forgotten ${moments.withAge(removedAt)}`);
    return;
  }
  add('known', `${events}, saved ${version === 1 ? 'once' : `${version} times`}`);
  if (removedAt !== null) add('removed', `published as removed ${moments.withAge(removedAt)}`);
  if (missingSince !== null)
    add('missing', `look-ups by its id find nothing since ${moments.withAge(missingSince)}`);
  // Not when the request was sent: that is before the events that this answer led to.
  add('as of', `${moments.withAge(receivedAt)}, the last answer with something new`);
  add('stamps', `created ${moments.full(createdAt)}, updated ${moments.full(updatedAt)}`);
  const { return_outcome, credit_method, return_method, order } = snapshot.group;
  const fields = { return_outcome, credit_method, return_method, order: order.name };
  add('group', formatFields(fields));
  for (const entity of snapshot.entities) add('', ...entityTexts(entity, moments));
}

function holdTexts({ message, sample }: Explanation['holds'][number]): string[] {
  if (sample === null)
    return [`${message} It may keep changes of this return back; "status" has the command that releases it.`];
  return [`A hold keeps this change back: ${sample.what} ${sample.before} → ${sample.after}`, message];
}

function entityTexts(
  { key, object, missingSince, unpublished }: ExplainedEntity,
  moments: Moments,
): string[] {
  const names = Object.keys(unpublished);
  return [
    `${key}: ${formatFields(pick(object, SHOWN[String(object.type)] ?? []))}`,
    ...(missingSince === null ? [] : [`  not shown since ${moments.withAge(missingSince)}: missing`]),
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

function markEntry(mark: ExplainedMark, moments: Moments): [label: string, text: string] {
  const { destination, title, sentThrough, behind, failingSince, isWebhook } = mark;
  const through = sentThrough === null ? 'nothing sent' : `sent through ${sentThrough}`;
  const since = failingSince === null ? '' : `, failing since ${moments.withAge(failingSince)}`;
  const text = behind === null ? through : `${through}; behind at ${behind}${since}`;
  if (destination.startsWith(FORWARD_PREFIX)) return ['forwarded', `${title}: ${text}`];
  if (isWebhook) return ['webhook', `${destination}: ${text}`];
  return [destination === WATCH_MARK ? 'handed over' : destination, text];
}

/** Below the change. */
const EVENT_INDENT = 8;

function eventLines(
  { sequence, event, undecodable }: ExplainedEvent,
  marks: readonly ExplainedMark[],
  moments: Moments,
  { width, colors }: Layout,
): string[] {
  const unsent = marks.filter(({ sentThrough, isWebhook }) =>
    sentThrough === null ? !isWebhook : sentThrough < sequence,
  );
  const skipped = marks.filter((mark) => isSkipped(mark, sequence));
  const notSent = noteOf('not sent:', unsent) + noteOf('skipped for', skipped);
  const what =
    event === null ? `can't be decoded: ${printable(undecodable ?? '')}` : describe(event, moments);
  const [first = '', ...others] = wrapWords(what + notSent, width - EVENT_INDENT);
  const lines = [
    `  ${String(sequence).padStart(4)}  ${first}`,
    ...others.map((line) => ' '.repeat(EVENT_INDENT) + line),
  ];
  return notSent === '' && event !== null ? lines : lines.map((line) => colors.yellow(line));
}

function noteOf(what: string, marks: readonly ExplainedMark[]): string {
  const names = marks.map(({ destination, title }) =>
    destination.startsWith(FORWARD_PREFIX) ? title : destination,
  );
  return names.length === 0 ? '' : ` [${what} ${names.join(', ')}]`;
}

function describe(event: FeedEvent, moments: Moments): string {
  const { through } = event.data.observed;
  return `${moments.full(event.time)}  ${through.padEnd(14)}  ${nameOf(event)}: ${describeChange(event, moments)}`;
}
