// The calls that SQS gets, over the wire.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMessageQueue } from '../../../functions/adapters/message-queue.ts';

interface Call {
  readonly Entries: readonly { readonly Id: string; readonly MessageBody: string }[];
}

let server: Server;
let client: SQSClient;
let url: string;
let calls: Call[];
/** Bodies that the queue rejects. */
let rejected: readonly string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const call = body as Call;
      calls.push(call);
      const [Failed, Successful] = [true, false].map((isRejected) =>
        call.Entries.filter(({ MessageBody }) => rejected.includes(MessageBody) === isRejected),
      );
      const answer = {
        Successful: Successful?.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' })),
        Failed: Failed?.map(({ Id }) => ({ Id, Code: 'InvalidMessageContents', SenderFault: true })),
      };
      response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/queue`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new SQSClient({ endpoint: url, region: 'eu-west-1', credentials, md5: false });
});
afterAll(() => {
  client.destroy();
  server.close();
});
beforeEach(() => {
  [calls, rejected] = [[], []];
});

test('messages go ten at a time, each with its delay and the group of its source', async () => {
  const messages = Array.from({ length: 23 }, (_, at) => ({
    ...{ body: `message ${at}`, delaySeconds: at, group: `shop-${at}` },
  }));

  await createMessageQueue(client, url)(messages);

  expect(calls.map(({ Entries }) => Entries.length).toSorted()).toEqual([10, 10, 3]);
  expect(calls.flatMap(({ Entries }) => Entries)).toContainEqual({
    ...{ Id: '2', MessageBody: 'message 12', DelaySeconds: 12, MessageGroupId: 'shop-12' },
  });
});

test('nothing is sent for no messages', async () => {
  await createMessageQueue(client, url)([]);

  expect(calls).toEqual([]);
});

test('a message that SQS rejects is an error, once all others are sent', async () => {
  const messages = Array.from({ length: 12 }, (_, at) => ({ body: `message ${at}` }));
  rejected = ['message 0', 'message 11'];

  const sending = createMessageQueue(client, url)(messages);

  await expect(sending).rejects.toThrow('SQS rejected 2 messages: InvalidMessageContents');
  expect(calls).toHaveLength(2);
});
