// Writes docs/events/catalogue.md: the events to subscribe to, in tables that follow from the contract.
import { type EventKind, formatDataSchema } from '../../../shared/contract/data-schema.ts';
import { PUBLISHED_WHEN } from '../../../shared/contract/event-descriptions.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { EVENT_TYPES, fileNameOf, kindOf } from './published-schemas.ts';

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
