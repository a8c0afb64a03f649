import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { becomes } from '../../../functions/subscriber-kit/becomes.ts';
import { runRecorded } from '../../../functions/subscriber-kit/run-recorded.ts';
import { createBusSubscriber, createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import { change, keepLog } from './deliveries.ts';

const RECORDED = new URL('../../../docs/events/recorded.jsonl', import.meta.url);

describe('a handler tried on recorded events', () => {
  it('gets every line of a recording, in order', async () => {
    const delivered: string[] = [];
    const sequences: number[] = [];
    const handler = createQueueSubscriber({
      on: {
        ...becomes('shipment', { DELIVERED: ({ subject }) => void delivered.push(subject) }),
        'return_line_item.status_changed': ({ data }) => void sequences.push(data.sequence),
      },
      log: keepLog(),
    });
    const lines = readFileSync(RECORDED, 'utf8').trimEnd().split('\n');

    const run = await runRecorded(handler, createInterface({ input: Readable.from([lines.join('\n')]) }));

    expect(run).toEqual({ done: lines.length, failed: [] });
    expect(delivered).toHaveLength(1);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(sequences.length).toBeGreaterThan(2);
  });

  it('continues after failed events, and reports them', async () => {
    const lines = readFileSync(RECORDED, 'utf8').trimEnd().split('\n').slice(0, 3);
    const ids = lines.map((line) => JSON.parse(line).id);
    const handler = createBusSubscriber({
      on: {},
      otherwise: ({ id }) => {
        if (id === ids[1]) throw new Error('not today');
      },
      log: keepLog(),
    });

    const run = await runRecorded(
      handler,
      lines.map((line) => JSON.parse(line)),
    );

    expect(run).toEqual({ done: 2, failed: [ids[1]] });
  });

  it('accepts failures that a subscriber returns instead of throwing', async () => {
    const events = [change(1, 1), change(1, 2)];

    const run = await runRecorded(
      async ({ Records: [record] }) => ({
        batchItemFailures:
          record !== undefined && record.messageId === events[0]?.id
            ? [{ itemIdentifier: record.messageId }]
            : [],
      }),
      events,
    );

    expect(run).toEqual({ done: 1, failed: [change(1, 1).id] });
  });
});
