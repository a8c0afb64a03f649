// G4: each event's envelope repeats its data: the source, the subject, the number and the schema.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { SourceEvidence, Violation } from './evidence.ts';
import { timeOf } from './stamps.ts';
import { isEntityEvent, isForgottenEvent } from './states.ts';

const FOLDERS: Readonly<Record<string, string>> = {
  return_line_item: 'return-line-items',
  shipment: 'shipments',
  exchange_line_item: 'exchange-line-items',
  refund_transaction: 'refund-transactions',
};

export function checkEnvelopes({ source, written }: SourceEvidence): Violation[] {
  return written.flatMap(({ event }) =>
    [...judge(event, source)].map((message) => ({
      guarantee: 'G4' as const,
      source,
      place: event.id,
      message,
    })),
  );
}

function* judge(event: FeedEvent, source: string): Generator<string> {
  const own = event.type === 'feed.source_read' ? 'read' : 'feed';
  const group = isEntityEvent(event) || isForgottenEvent(event) ? event.data.return_group.id : own;
  const { generation, sequence } = event.data;
  const [kind = ''] = event.type.split('.');
  const expected = {
    specversion: '1.0',
    id: `${source}_${generation}_${group}_${sequence}`,
    source: `/sources/${source}`,
    datacontenttype: 'application/json',
    dataschema: `urn:returns-change-feed:${kind}:1`,
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: `${source}/${group}`,
  };
  for (const [name, value] of Object.entries(expected)) {
    const stated = event[name as keyof typeof expected];
    if (stated !== value) yield `its ${name} is ${stated}, not ${value}`;
  }
  if (!isSubjectOf(event, source)) yield `its subject is ${event.subject}`;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(event.time) || timeOf(event.time) === undefined)
    yield `its time is ${event.time}`;
  if (event.replayid !== undefined) yield 'was written as a replay';
}

function isSubjectOf(event: FeedEvent, source: string): boolean {
  if (isForgottenEvent(event)) return event.subject === `return-groups/${event.data.return_group.id}`;
  if (!isEntityEvent(event)) return isFeedSubject(event, source);
  const group = `return-groups/${event.data.return_group.id}`;
  const [kind = ''] = event.type.split('.');
  if (kind === 'return_group') return event.subject === group;
  const folder = `${group}/${FOLDERS[kind]}/`;
  const { id, platform_id: platformId } = event.data.object as { id?: unknown; platform_id?: string | null };
  const place = kind === 'refund_transaction' ? platformId : id;
  if (place != null) return event.subject === folder + encodeURIComponent(String(place));
  return event.subject.startsWith(`${folder}unidentified-`);
}

function isFeedSubject({ type, subject, data }: FeedEvent, source: string): boolean {
  const own = `sources/${source}`;
  if (type === 'feed.baseline_completed') return subject === `${own}/baseline`;
  if (type === 'feed.source_read') return subject === `${own}/read`;
  if (type === 'feed.drift_detected') return subject === `${own}/drift/${data.sequence}`;
  if (type === 'feed.events_skipped') return subject.startsWith('feed/skipped-events/');
  return subject === own;
}
