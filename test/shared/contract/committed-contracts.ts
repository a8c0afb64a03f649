// The parts of the contract in docs/events.
import { existsSync, readFileSync } from 'node:fs';
import { DATA_VERSIONS } from '../../../shared/contract/data-schema.ts';
import type { EventType, FeedEvent } from '../../../shared/contract/event.ts';
import { type JsonSchema, kindOf, type SchemaBundle, schemaOf } from './published-schemas.ts';

export const EVENTS_FOLDER = new URL('../../../docs/events/', import.meta.url);

export function committedBundle(): SchemaBundle {
  const file = new URL('schema.json', EVENTS_FOLDER);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { $defs: {} };
}

/** The published schema of the type, without references; undefined before its first publication. */
export function committedSchema(type: EventType): JsonSchema | undefined {
  return schemaOf(committedBundle(), type);
}

export function committedExample(type: EventType): FeedEvent {
  return JSON.parse(readFileSync(new URL(`examples/${type}.json`, EVENTS_FOLDER), 'utf8'));
}

/** The recorded run, one event a line. */
export function recordedLines(): string[] {
  return readFileSync(new URL('recorded.jsonl', EVENTS_FOLDER), 'utf8').trimEnd().split('\n');
}

export function refusalOf(type: EventType, changes: readonly string[]): string {
  const kind = kindOf(type);
  return `${type}: ${changes.join(' ')} That breaks readers of version ${DATA_VERSIONS[kind]}: it takes a new version, DATA_VERSIONS.${kind} in shared/contract/data-schema.ts.`;
}
