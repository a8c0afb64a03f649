// Writes docs/events/catalogue.md: the events to subscribe to, in tables that follow from the contract.
import { type EventKind, formatDataSchema } from '../../../shared/contract/data-schema.ts';
import { PUBLISHED_WHEN } from '../../../shared/contract/event-descriptions.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { EVENT_TYPES, fileNameOf, kindOf } from './published-schemas.ts';

export function writeCatalogue(): string {
  const kinds = [...new Set(EVENT_TYPES.map(kindOf))];
  return `# Events

<!-- Written by \`npm run contracts\`. -->

Each schema is JSON Schema 2020-12 and open: fields may be added ([changing.md](changing.md)). The examples come from
a run of the feed against the reference service; [recorded.jsonl](recorded.jsonl) has all events of that run, one on each
line, as \`returns-feed watch --json\` prints them. Use it to try a handler ([subscribing.md](../subscribing.md)).

A type that ends in \`.status_changed\` or \`.updated\` has \`previous_attributes\`: the old values of the watched
fields that changed. Events carry the present values of all other fields, but a change of those alone causes no event.

Names and reasons (\`product_name\`, \`variant_name\`, \`return_reason_details\`, \`order.name\`, \`data.customer\`) are cut after
1,000 characters.

Events of the feed itself go to the bus only. \`feed.source_read\` also goes to ordered subscribers whose filter names it.

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
| type | published when | | |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
