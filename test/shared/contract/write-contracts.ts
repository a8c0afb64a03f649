// `npm run contracts` writes the contract in docs/events: the schema, examples and the catalogue. It rejects changes that
// would break readers of a published version.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAsyncApi } from './asyncapi.ts';
import { breakingChanges } from './breaking-changes.ts';
import { writeCatalogue } from './catalogue.ts';
import { committedSchema, EVENTS_FOLDER, refusalOf } from './committed-contracts.ts';
import { EVENT_TYPES, inDraft07, MESSAGE_TYPES, publishedBundle, schemaOf } from './published-schemas.ts';
import { recordExamples, recordReturnMessage, UNLISTED } from './record-examples.ts';

function write(path: string, text: string): void {
  const file = new URL(path, EVENTS_FOLDER);
  mkdirSync(dirname(file.pathname), { recursive: true });
  writeFileSync(file, text);
}

const bundle = publishedBundle();
const refusals = MESSAGE_TYPES.flatMap((type) => {
  const before = committedSchema(type);
  const changes = before === undefined ? [] : breakingChanges(before, schemaOf(bundle, type) ?? {});
  return changes.length === 0 ? [] : [refusalOf(type, changes)];
});
if (refusals.length > 0) {
  process.stderr.write(`${refusals.join('\n')}\n`);
  process.exit(1);
}

const events = await recordExamples();
// Found before anything is written: a missing one leaves all files as they are.
const examples = [...EVENT_TYPES.map((type) => exampleOf(type)), await recordReturnMessage()];

write('schema.json', `${JSON.stringify(bundle, null, 2)}\n`);
write('schema.draft-07.json', `${JSON.stringify(inDraft07(bundle), null, 2)}\n`);
write('recorded.jsonl', events.map((event) => `${JSON.stringify(event)}\n`).join(''));
for (const example of examples)
  write(`examples/${example.type}.json`, `${JSON.stringify(example, null, 2)}\n`);
write('catalogue.md', writeCatalogue());
write('asyncapi.yaml', writeAsyncApi(bundle, examples));

/** Returns the last event of a type, which has the longest history, but not the event with the unlisted status. */
function exampleOf(type: string): (typeof events)[number] {
  const all = events.filter((event) => event.type === type);
  const example = all.findLast((event) => !JSON.stringify(event).includes(UNLISTED)) ?? all.at(-1);
  if (example === undefined) throw new Error(`The recorded run has no ${type}.`);
  return example;
}
