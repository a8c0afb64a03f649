// The parts of the contract in docs/events.
import { existsSync, readFileSync } from 'node:fs';
import { DATA_VERSIONS } from '../../../shared/contract/data-schema.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { MessageType, ReturnChanged } from '../../../shared/contract/return-message.ts';
import { type JsonSchema, kindOf, type SchemaBundle, schemaOf } from './published-schemas.ts';

export const EVENTS_FOLDER = new URL('../../../docs/events/', import.meta.url);

export function committedBundle(): SchemaBundle {
  const file = new URL('schema.json', EVENTS_FOLDER);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { $defs: {} };
}

/** The published schema of the type, without references; undefined before its first publication. */
export function committedSchema(type: MessageType): JsonSchema | undefined {
  return schemaOf(committedBundle(), type);
}

export function committedExample(type: 'return.changed'): ReturnChanged;
export function committedExample(type: MessageType): FeedEvent;
export function committedExample(type: MessageType): unknown {
  return JSON.parse(readFileSync(new URL(`examples/${type}.json`, EVENTS_FOLDER), 'utf8'));
}

/** An example without the fields of its entity or return. */
export function broken<Example extends { readonly data: object } | undefined>(example: Example): unknown {
  const data = example?.data ?? {};
  return { ...example, data: { ...data, ['return' in data ? 'return' : 'object']: {} } };
}

/** The recorded run, one event a line. */
export function recordedLines(): string[] {
  return readFileSync(new URL('recorded.jsonl', EVENTS_FOLDER), 'utf8').trimEnd().split('\n');
}

export function refusalOf(type: MessageType, changes: readonly string[]): string {
  const kind = kindOf(type);
  return `${type}: ${changes.join(' ')} That breaks readers of version ${DATA_VERSIONS[kind]}: it takes a new version, DATA_VERSIONS.${kind} in shared/contract/data-schema.ts.`;
}
