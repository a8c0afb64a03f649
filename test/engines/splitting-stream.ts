// A DynamoDB stream with features of AWS that the embedded engine lacks: shards close and continue in children, closed
// shards end, iterators expire. It implements the streams' protocol over HTTP for the real SDK client.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

export interface SplittingStream {
  readonly endpoint: string;
  /** Adds a shard; its parent is closed. */
  open(shardId: string, parentShardId?: string): void;
  /** Adds a record to an open shard. */
  write(shardId: string, key: string): void;
  /** Expires every issued iterator. */
  expireIterators(): void;
  close(): Promise<void>;
}

interface StoredShard {
  readonly id: string;
  readonly parent: string | undefined;
  readonly keys: string[];
  closed: boolean;
}

const inputSchema = z.object({
  ShardId: z.string().optional(),
  ShardIteratorType: z.string().optional(),
  SequenceNumber: z.string().optional(),
  ShardIterator: z.string().optional(),
  Limit: z.number().optional(),
});

type Input = z.infer<typeof inputSchema>;

export async function startSplittingStream(): Promise<SplittingStream> {
  const shards = new Map<string, StoredShard>();
  let era = 0;

  const operations: Record<string, (input: Input) => object> = {
    ListStreams: () => ({ Streams: [{ StreamArn: 'arn', StreamLabel: '2026' }] }),
    DescribeStream: () => ({
      StreamDescription: {
        Shards: [...shards.values()].map(({ id, parent }) => ({ ShardId: id, ParentShardId: parent })),
      },
    }),
    GetShardIterator: ({ ShardId: id = '', ShardIteratorType: type, SequenceNumber: after }) => {
      const end = shards.get(id)?.keys.length ?? 0;
      const at = type === 'LATEST' ? end : type === 'AFTER_SEQUENCE_NUMBER' ? Number(after) : 0;
      return { ShardIterator: [era, id, at].join(' ') };
    },
    GetRecords: ({ ShardIterator = '', Limit = 1000 }) => {
      const [givenIn, id = '', at] = ShardIterator.split(' ');
      if (Number(givenIn) !== era) return { __type: 'ExpiredIteratorException', message: 'expired' };
      const { keys, closed } = shards.get(id) ?? { keys: [], closed: true };
      const next = Math.min(keys.length, Number(at) + Limit);
      return {
        Records: keys.slice(Number(at), next).map((key, index) => ({
          eventName: 'INSERT',
          dynamodb: { Keys: { pk: { S: key } }, SequenceNumber: String(Number(at) + index + 1) },
        })),
        ...(closed && next === keys.length ? {} : { NextShardIterator: [era, id, next].join(' ') }),
      };
    },
  };

  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const answer = operations[operation]?.(inputSchema.parse(JSON.parse(await text(request)))) ?? {};
    response.writeHead('__type' in answer ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    endpoint: `http://127.0.0.1:${port}`,
    open(shardId, parentShardId) {
      const parent = shards.get(parentShardId ?? '');
      if (parent !== undefined) parent.closed = true;
      shards.set(shardId, { id: shardId, parent: parentShardId, keys: [], closed: false });
    },
    write: (shardId, key) => void shards.get(shardId)?.keys.push(key),
    expireIterators: () => {
      era += 1;
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
