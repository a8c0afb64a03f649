// Writes docs/events/catalogue.md: the events to subscribe to, in tables that follow from the contract.
import { type EventKind, formatDataSchema } from '../../../shared/contract/data-schema.ts';
import { PUBLISHED_WHEN } from '../../../shared/contract/event-descriptions.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { classNameOf, kindOf, MESSAGE_TYPES } from './published-schemas.ts';

export function writeCatalogue(): string {
  const kinds = [...new Set(MESSAGE_TYPES.map(kindOf))];
  return `# Events

<!-- Written by \`npm run contracts\`. -->

[schema.json](schema.json) has all events in one JSON Schema (2020-12), each object once under \`$defs\`, and
[schema.draft-07.json](schema.draft-07.json) is the same for older tools. Schemas are open: fields may be added
([changing.md](changing.md)). [asyncapi.yaml](asyncapi.yaml) describes the channels in AsyncAPI 3. [Types in other
languages](#types-in-other-languages) are generated from the schema. The examples come from a run of the feed against the
reference service; [recorded.jsonl](recorded.jsonl) has all events of that run, one on each line, as
\`returns-feed watch --json\` prints them. Use it to try a handler ([subscribing.md](../subscribing.md)).

[recipes.md](../recipes.md) has functions that react to a delivered parcel: a message, a mail, a workflow, rows in a
database. [arrivals.md](../arrivals.md) has programs that receive it, with generated types, for each language.

A type that ends in \`.status_changed\` or \`.updated\` has \`changed\`, the names of the watched fields that changed, and
\`previous_attributes\`, their old values. Use \`changed\` in languages in which an absent field reads like null. Events carry
the present values of all other fields, but a change of those alone causes no event.

Context, which causes no event either:

- A shipment's event has \`items\`: the return line items on it, as they are at the event (those that the shipment's
  \`return_ids\` name, or else those that name the shipment). The list has at most 50 items and 64 KB. \`items_total\` counts
  all, those included that the service names and does not show.
- A return line item's event has \`shipment\`, the shipment that it is on, or null.
- \`included\` has further fields that the source's settings ask for ([SECURITY.md](../../SECURITY.md#personal-data)).

When it happened:

- \`time\` is the service's own moment, the return's \`updated_at\`, if that moved with the change. Otherwise it is the
  moment of the reading, and equal to \`observed.by\`.
- \`observed.after\` is when the last reading without the change was requested, less the time that a reading may be stale
  (\`settle\`). It is null at first sight.
- \`observed.by\` is when the reading that shows the change was received, less the age that a cache gave it.

\`created\` is published for what came into being after the feed began. If the baseline emits, what existed before is
\`created\` too, with \`backfill: true\`.

Names and reasons (\`product_name\`, \`variant_name\`, \`return_reason_details\`, \`order.name\`, \`data.customer\`) are cut after
1,000 characters.

Events of the feed itself go to the bus only. \`feed.source_read\` also goes to ordered subscribers whose filter names it.

${kinds.map(section).join('\n')}
## Types in other languages

TypeScript needs none: \`returns-change-feed/contract\` has the types. Tests generate these and compare events that went
through them with what was recorded (\`test/generated-types\`). [arrivals.md](../arrivals.md) uses them:

\`\`\`
# Python: Pydantic models, and Event, which \`type\` decides
datamodel-codegen --input schema.json --input-file-type jsonschema --output events.py \\
  --output-model-type pydantic_v2.BaseModel --use-annotated --use-title-as-name
# Go and Java: a class for each event
npx quicktype@26.0.0 --src-lang schema --src 'schema.json#/$defs/' --lang go --package events -o events.go
sed -i '/\\[\\]/s/omitempty/omitzero/' events.go   # keeps empty lists, with Go 1.24 or later
npx quicktype@26.0.0 --src-lang schema --src 'schema.json#/$defs/' --lang java --package events -o Converter.java
\`\`\`
`;
}

function section(kind: EventKind): string {
  const watched = Object.hasOwn(WATCHED_FIELDS, kind)
    ? `\nWatched: ${WATCHED_FIELDS[kind as keyof typeof WATCHED_FIELDS].map((field) => `\`${field}\``).join(', ')}.\n`
    : '';
  const rows = MESSAGE_TYPES.filter((type) => kindOf(type) === kind).map(
    (type) =>
      `| \`${type}\` | ${PUBLISHED_WHEN[type]} | \`${classNameOf(type)}\` | [example](examples/${type}.json) |`,
  );
  return `## ${kind}

\`${formatDataSchema(kind)}\`
${watched}
| type | published when | in the schema | |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
