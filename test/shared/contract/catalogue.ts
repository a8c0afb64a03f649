// Writes docs/events/catalogue.md: the events to subscribe to, in tables that follow from the contract.
import { type EventKind, formatDataSchema } from '../../../shared/contract/data-schema.ts';
import type { EventType } from '../../../shared/contract/event.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { EVENT_TYPES, fileNameOf, kindOf } from './published-schemas.ts';

const PUBLISHED_WHEN: Readonly<Record<EventType, string>> = {
  'return_line_item.created': 'An item came to be returned, or was seen for the first time.',
  'return_line_item.status_changed': 'Its status changed, and whatever else changed with it.',
  'return_line_item.updated': 'Another watched field changed.',
  'return_line_item.removed': 'It is no longer in its return. `object` is what was last known.',
  'shipment.created':
    'A shipment was added, or seen for the first time; it may be on its way or delivered already.',
  'shipment.status_changed': 'Its status changed, and whatever else changed with it.',
  'shipment.updated': 'Another watched field changed: a new label, other items in it.',
  'shipment.removed': 'It is no longer in its return.',
  'exchange_line_item.created': 'Something is to be sent in exchange, or was seen for the first time.',
  'exchange_line_item.status_changed': 'Its status changed, and whatever else changed with it.',
  'exchange_line_item.updated': 'Another watched field changed: another variant, another quantity.',
  'exchange_line_item.removed': 'It is no longer in its return.',
  'refund_transaction.created': 'Money was paid back. Told once for each transaction, and never changed.',
  'return_group.created':
    'A return came to be, or was seen for the first time. Its parts have events of their own.',
  'return_group.updated': 'A watched field of the return itself changed.',
  'return_group.removed': 'The service no longer has the return; its parts are gone with it, without events.',
  'feed.source_degraded': 'The source is not being read completely, and why.',
  'feed.source_recovered': 'It is read completely again.',
  'feed.baseline_completed':
    'Every return of the source was read once; from here on nothing is new by being old.',
  'feed.drift_detected': 'The service sends values or fields that its document does not list.',
  'feed.source_read':
    'Once a minute: up to where everything is read and in the ledger. A newer one makes it stale.',
  'feed.events_skipped': 'Numbers of a return that a destination will never get, and why.',
};

export function writeCatalogue(): string {
  const kinds = [...new Set(EVENT_TYPES.map(kindOf))];
  return `# Events

<!-- Written by \`npm run contracts\`. -->

Each schema is JSON Schema 2020-12 and open: fields may be added ([changing.md](changing.md)). Each example was made by the
feed from the reference service; [recorded.jsonl](recorded.jsonl) has all of that run, one event a line as
\`returns-feed watch --json\` prints them, to try a handler on ([subscribing.md](../subscribing.md)).

A type that ends in \`.status_changed\` or \`.updated\` has \`previous_attributes\`: the old values of those watched
fields that changed. What is not watched is carried along as it stands.

Those of the feed itself go to the bus alone, but for \`feed.source_read\`: an ordered subscriber gets it if its filter names it.

${kinds.map(section).join('\n')}`;
}

function section(kind: EventKind): string {
  const watched = Object.hasOwn(WATCHED_FIELDS, kind)
    ? `\nWatched: ${WATCHED_FIELDS[kind as keyof typeof WATCHED_FIELDS].map((field) => `\`${field}\``).join(', ')}.\n`
    : '';
  const rows = EVENT_TYPES.filter((type) => kindOf(type) === kind).map(
    (type) =>
      `| \`${type}\` | ${PUBLISHED_WHEN[type]} | [schema](schemas/${fileNameOf(type)}) | [example](examples/${type}.json) |`,
  );
  return `## ${kind}

\`${formatDataSchema(kind)}\`
${watched}
| type | told when | | |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
