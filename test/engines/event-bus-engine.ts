// An event bus that serves the part of EventBridge's API that the SDK's PutEvents needs (AWS JSON 1.1 over HTTP). It
// ignores the name of the bus in an entry, so it acts as every bus.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createEventBus, type EventBus, type EventBusOptions } from './event-bus.ts';
import { readPutEvents } from './put-events.ts';

const JSON_1_1 = 'application/x-amz-json-1.1';

export interface EventBusEngine {
  readonly endpoint: string;
  readonly bus: Omit<EventBus, 'publish'>;
  stop(): Promise<void>;
}

/** Starts the bus on a free port of the loopback address. Stopping it loses its content. */
export async function startEventBusEngine(options: EventBusOptions = {}): Promise<EventBusEngine> {
  const bus = createEventBus(options);
  const server = createServer((request, response) => {
    answer(bus, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bus,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(bus: EventBus, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const { status, content } =
    request.headers['x-amz-target'] === 'AWSEvents.PutEvents'
      ? putEvents(bus, body)
      : { status: 400, content: { __type: 'UnknownOperationException' } };
  response.writeHead(status, { 'content-type': JSON_1_1 }).end(JSON.stringify(content));
}

function putEvents(bus: EventBus, body: string): { readonly status: number; readonly content: unknown } {
  const request = readPutEvents(body);
  if ('refused' in request) {
    const { type, message } = request.refused;
    return { status: 400, content: { __type: type, message } };
  }
  const entries = request.outcomes.map((outcome) =>
    'ErrorCode' in outcome ? outcome : { EventId: bus.publish(outcome) },
  );
  const failed = request.outcomes.filter((outcome) => 'ErrorCode' in outcome).length;
  return { status: 200, content: { FailedEntryCount: failed, Entries: entries } };
}
