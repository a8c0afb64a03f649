// Other repositories read the contract in docs/events: it must agree with the code.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { breakingChanges } from './breaking-changes.ts';
import { writeCatalogue } from './catalogue.ts';
import {
  committedExample,
  committedSchema,
  committedSchemaFiles,
  EVENTS_FOLDER,
  recordedLines,
  refusalOf,
} from './committed-contracts.ts';
import { EVENT_TYPES, fileNameOf, publishedSchema } from './published-schemas.ts';
import { recordExamples } from './record-examples.ts';

/** A validator that is independent of zod. */
function createValidator() {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  return ajv;
}

describe.each(EVENT_TYPES)('the committed schema of %s', (type) => {
  it('does not break readers of its version', () => {
    const before = committedSchema(type);

    const changes = before === undefined ? [] : breakingChanges(before, publishedSchema(type));

    expect(changes.length === 0 ? '' : refusalOf(type, changes)).toBe('');
  });

  it('agrees with the contract; `npm run contracts` writes it', () => {
    expect(committedSchema(type)).toEqual(JSON.parse(JSON.stringify(publishedSchema(type))));
  });

  it('accepts the example, and rejects incomplete and changed ones', () => {
    const validate = createValidator().compile(committedSchema(type) ?? {});
    const example = committedExample(type);

    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...example, addedLater: 1 })).toBe(true);
    expect(validate({ ...example, subject: undefined })).toBe(false);
    expect(validate({ ...example, time: 'yesterday' })).toBe(false);
    expect(validate({ ...example, data: { ...example.data, object: {} } })).toBe(false);
    expect(validate({ ...example, dataschema: 'urn:returns-change-feed:other:1' })).toBe(false);
  });
});

describe('the catalogue', () => {
  it('agrees with the contract; `npm run contracts` writes it', () => {
    expect(readFileSync(new URL('catalogue.md', EVENTS_FOLDER), 'utf8')).toBe(writeCatalogue());
  });

  it('has a schema for each type, and none for a removed type', () => {
    const types = committedSchemaFiles().map((file) => file.replace(/\.\d+\.json$/, ''));

    expect(new Set(types)).toEqual(new Set(EVENT_TYPES));
    expect(committedSchemaFiles()).toEqual(expect.arrayContaining(EVENT_TYPES.map(fileNameOf)));
  });

  it('has examples with exactly the fields that the feed fills today', async () => {
    const today = await recordExamples();

    for (const type of EVENT_TYPES) {
      const shapes = today.filter((event) => event.type === type).map(shapeOf);
      expect(shapes, type).toContainEqual(shapeOf(committedExample(type)));
    }
  });

  it('has a recording in which every line is an event and every type occurs', () => {
    const validate = createValidator();
    const events = recordedLines().map((line) => JSON.parse(line));

    for (const event of events) {
      const parsed = EVENT_SCHEMAS[event.type as keyof typeof EVENT_SCHEMAS].parse(event);
      expect(parsed).toStrictEqual(event);
      expect(validate.validate(committedSchema(event.type) ?? false, event)).toBe(true);
      validate.removeSchema();
    }
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
  });
});

/** The names of all fields, with the kinds of their values; a nullable value is of any kind. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}
