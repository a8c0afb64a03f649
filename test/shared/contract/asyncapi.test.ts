// The AsyncAPI document agrees with the contract. The parser takes broken examples, so ajv checks them here;
// test/generated-types has the parser's own test.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DRAFT_07, writeAsyncApi } from './asyncapi.ts';
import { broken, committedExample, EVENTS_FOLDER } from './committed-contracts.ts';
import {
  classNameOf,
  EVENT_TYPES,
  type JsonSchema,
  MESSAGE_TYPES,
  publishedBundle,
} from './published-schemas.ts';

interface Document {
  readonly channels: Readonly<Record<string, { readonly messages: object }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

interface Message {
  readonly payload: { readonly schemaFormat: string; readonly schema: JsonSchema };
  readonly examples: readonly { readonly payload: { readonly data: { readonly object: object } } }[];
}

const TEXT = readFileSync(new URL('asyncapi.yaml', EVENTS_FOLDER), 'utf8');
const DOCUMENT: Document = parse(TEXT);

/** A validator of the payloads of a message, by its own schema in the document. */
function validatorOf({ payload: { schema } }: Message) {
  const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addKeyword('components');
  return ajv.compile({ ...schema, components: { schemas: DOCUMENT.components.schemas } } as object);
}

test('the document agrees with the contract; `npm run contracts` writes it', () => {
  const examples = MESSAGE_TYPES.map(committedExample);

  expect(TEXT).toBe(writeAsyncApi(publishedBundle(), examples));
});

test('the bus has every event, queues and webhooks have the changes, and webhooks whole returns', () => {
  const messagesOf = (channel: string) => Object.keys(DOCUMENT.channels[channel]?.messages ?? {});
  const changes = EVENT_TYPES.filter((type) => !type.startsWith('feed.')).map(classNameOf);

  expect(messagesOf('bus')).toEqual(EVENT_TYPES.map(classNameOf));
  expect(messagesOf('webhook')).toEqual([...changes, 'ReturnChanged']);
  expect(messagesOf('orderedQueue')).toEqual([...changes, 'FeedSourceRead']);
});

test.each(MESSAGE_TYPES)(
  'the example of %s meets its message’s schema, and a broken one does not',
  (type) => {
    const message = DOCUMENT.components.messages[classNameOf(type)];
    if (message === undefined) throw new Error(`There is no message for ${type}.`);
    const validate = validatorOf(message);
    const [example] = message.examples;

    expect(message.payload.schemaFormat).toBe(DRAFT_07);
    expect(validate(example?.payload), JSON.stringify(validate.errors)).toBe(true);
    expect(validate(broken(example?.payload))).toBe(false);
  },
);
