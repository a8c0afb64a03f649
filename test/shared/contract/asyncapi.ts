// Writes docs/events/asyncapi.yaml: AsyncAPI 3, from the view of the feed, which sends. Payloads are labelled draft-07:
// parsers check nothing inside a schema without a label that they know.
import { stringify } from 'yaml';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { PUBLISHED_WHEN } from '../../../shared/contract/event-descriptions.ts';
import {
  type MessageType,
  RETURN_CHANGED,
  type ReturnChanged,
} from '../../../shared/contract/return-message.ts';
import {
  classNameOf,
  EVENT_TYPES,
  type JsonSchema,
  MESSAGE_TYPES,
  type SchemaBundle,
} from './published-schemas.ts';

export const DRAFT_07 = 'application/schema+json;version=draft-07';

const CHANGES = EVENT_TYPES.filter((type) => !type.startsWith('feed.'));

export function writeAsyncApi(
  bundle: SchemaBundle,
  examples: readonly (FeedEvent | ReturnChanged)[],
): string {
  const exampleOf = (type: MessageType) => examples.find((example) => example.type === type);
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'returns-change-feed',
      version: '1.0.0',
      description:
        'Every change of a return line item, a shipment or an exchange as an event: docs/events/catalogue.md.',
    },
    defaultContentType: 'application/json',
    channels: {
      bus: {
        title: 'The bus',
        description: 'EventBridge: all events, unordered. An event is `detail`, its type is `detail-type`.',
        messages: referencesTo(EVENT_TYPES),
      },
      orderedQueue: {
        title: 'The queue of an ordered subscriber',
        description: "SQS FIFO: each return's events in order. The body of a message is one event.",
        messages: referencesTo([...CHANGES, 'feed.source_read']),
        bindings: {
          // The parser refuses later versions of this binding.
          sqs: {
            queue: { name: '{queue}.fifo', fifoQueue: true, deduplicationScope: 'messageGroup' },
            bindingVersion: '0.2.0',
          },
        },
      },
      webhook: {
        address: '/hook',
        title: 'A webhook',
        description:
          'HTTPS POST, signed as Standard Webhooks describes (docs/webhooks.md). The body is one event, or of the shape ' +
          '`return` one return.changed, by default as application/cloudevents+json.',
        messages: referencesTo([...CHANGES, RETURN_CHANGED]),
        bindings: { http: { bindingVersion: '0.3.0' } },
      },
    },
    operations: {
      publishToBus: sendTo('bus'),
      sendInOrder: sendTo('orderedQueue'),
      postToWebhook: {
        ...sendTo('webhook'),
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: Object.fromEntries(
        MESSAGE_TYPES.map((type) => [
          classNameOf(type),
          {
            name: type,
            title: classNameOf(type),
            summary: PUBLISHED_WHEN[type],
            contentType: 'application/json',
            payload: {
              schemaFormat: DRAFT_07,
              schema: { $ref: `#/components/schemas/${classNameOf(type)}` },
            },
            examples: [{ name: type, payload: exampleOf(type) }],
          },
        ]),
      ),
      schemas: schemasIn(bundle),
    },
  };
  return `# Written by \`npm run contracts\`.\n${stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })}`;
}

function referencesTo(types: readonly MessageType[]) {
  const names = types.map(classNameOf);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function sendTo(channel: string) {
  return { action: 'send', channel: { $ref: `#/channels/${channel}` } };
}

function schemasIn({ $defs }: SchemaBundle): Readonly<Record<string, JsonSchema>> {
  return JSON.parse(JSON.stringify($defs).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
