// Other repositories read the contract in docs/events: it must agree with the code.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { breakingChanges } from './breaking-changes.ts';
import { writeCatalogue } from './catalogue.ts';
import {
  broken,
  committedBundle,
  committedExample,
  committedSchema,
  EVENTS_FOLDER,
  recordedLines,
  refusalOf,
} from './committed-contracts.ts';
import {
  classNameOf,
  EVENT_TYPES,
  inDraft07,
  MESSAGE_TYPES,
  publishedBundle,
  schemaOf,
} from './published-schemas.ts';
import { recordExamples, recordReturnMessage } from './record-examples.ts';

/** Validators that are independent of zod. Without `discriminator` each event is checked against every type. */
function compile2020() {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, discriminator: true });
  addFormats.default(ajv);
  return ajv.compile(committedBundle());
}

function compileDraft07() {
  const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  return ajv.compile(inDraft07(committedBundle()));
}

const DIALECTS = [
  ['2020-12', compile2020],
  ['draft-07', compileDraft07],
] as const;

describe.each(MESSAGE_TYPES)('the committed schema of %s', (type) => {
  it('does not break readers of its version', () => {
    const before = committedSchema(type);

    const changes =
      before === undefined ? [] : breakingChanges(before, schemaOf(publishedBundle(), type) ?? {});

    expect(changes.length === 0 ? '' : refusalOf(type, changes)).toBe('');
  });

  it.each(DIALECTS)('accepts the example, and rejects incomplete and changed ones: %s', (_, compile) => {
    const validate = compile();
    const example = committedExample(type);

    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...example, addedLater: 1 })).toBe(true);
    expect(validate({ ...example, subject: undefined })).toBe(false);
    expect(validate({ ...example, time: 'yesterday' })).toBe(false);
    expect(validate(broken(example))).toBe(false);
    expect(validate({ ...example, dataschema: 'urn:returns-change-feed:other:1' })).toBe(false);
  });
});

describe('the catalogue', () => {
  it('agrees with the contract; `npm run contracts` writes it', () => {
    expect(readFileSync(new URL('catalogue.md', EVENTS_FOLDER), 'utf8')).toBe(writeCatalogue());
  });

  it('has a schema of all types that agrees with the contract, and a twin in draft-07', () => {
    const twin = JSON.parse(readFileSync(new URL('schema.draft-07.json', EVENTS_FOLDER), 'utf8'));

    expect(committedBundle()).toEqual(JSON.parse(JSON.stringify(publishedBundle())));
    expect(twin).toEqual(inDraft07(committedBundle()));
    expect(JSON.stringify(twin)).not.toMatch(/\$defs|discriminator|2020-12/);
  });

  it('has a schema with one class for each event and object, and no bounds of numbers', () => {
    const { $defs, oneOf } = committedBundle();

    expect(oneOf).toEqual(MESSAGE_TYPES.map((type) => ({ $ref: `#/$defs/${classNameOf(type)}` })));
    expect(Object.entries($defs).map(([name, { title }]) => name === title)).not.toContain(false);
    const bodies = Object.values($defs).map(({ title: _, ...schema }) => JSON.stringify(schema));
    expect(new Set(bodies).size).toBe(bodies.length);
    expect(JSON.stringify($defs)).not.toMatch(/imum":-?9007199254740991/);
    expect(JSON.stringify($defs)).not.toMatch(/"anyOf":\[\{"type":/);
  });

  it('has examples with exactly the fields that the feed fills today', async () => {
    const today = await recordExamples();

    for (const type of EVENT_TYPES) {
      const shapes = today.filter((event) => event.type === type).map(shapeOf);
      expect(shapes, type).toContainEqual(shapeOf(committedExample(type)));
    }
    expect(await recordReturnMessage()).toEqual(committedExample('return.changed'));
  });

  it('has a recording in which every line is an event and every type occurs', () => {
    const validate = compile2020();
    const events = recordedLines().map((line) => JSON.parse(line));

    for (const event of events) {
      const parsed = EVENT_SCHEMAS[event.type as keyof typeof EVENT_SCHEMAS].parse(event);
      expect(parsed).toStrictEqual(event);
      expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
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
