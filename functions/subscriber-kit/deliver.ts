// One delivery from its arrival to its outcome, the same for queue and bus. An event is noted as handled only after its
// handler has finished: a crash in between repeats it, and never loses it.
import type { FeedEvent } from '../../shared/contract/event.ts';
import {
  type MessageType,
  RETURN_CHANGED,
  type ReturnChanged,
} from '../../shared/contract/return-message.ts';
import { type ReadEvent, readData, readEvent, whyForeign } from './read-event.ts';
import { createProcessMemory, type MemoryKey, type SubscriberMemory } from './subscriber-memory.ts';
import type {
  HandlerContext,
  LambdaContext,
  Outcome,
  SubscriberLog,
  SubscriberOptions,
} from './subscriber-options.ts';
import { createTableMemory } from './table-memory.ts';

/** A run that begins later could be cut off at its beginning, and the event would wait for its end. */
export const SHORTEST_RUN_MS = 1_000;

/** Handles one delivery. @throws the reason of a failure; the event must then be delivered again */
export type Deliver = (value: unknown, lambda: LambdaContext, attempt: number) => Promise<Outcome>;

/** @throws Error for options that can't work together */
export function createDeliver(options: SubscriberOptions, log: SubscriberLog): Deliver {
  const memory = memoryOf(options);
  const loggedTypes = new Set<string>();
  return async (value, lambda, attempt) => {
    const read = readEvent(value);
    const { envelope } = read;
    const subscriber = options.name ?? lambda.functionName;
    const group = { subscriber, of: `group/${envelope.partitionkey}` };
    const subject = { subscriber, of: `${envelope.source}/${envelope.subject}` };
    try {
      const outcome = await handle({ options, log, memory, read, lambda, attempt, group, subject });
      if ((outcome === 'unknown_type' || outcome === 'newer_version') && !loggedTypes.has(envelope.type)) {
        loggedTypes.add(envelope.type);
        log.warn('Skipped an event that this release of the contract does not know.', {
          type: envelope.type,
          dataschema: envelope.dataschema,
        });
      }
      options.onOutcome?.(outcome, envelope);
      return outcome;
    } catch (cause) {
      options.onOutcome?.('failed', envelope);
      throw asError(cause);
    }
  };
}

interface Delivery {
  readonly options: SubscriberOptions;
  readonly log: SubscriberLog;
  readonly memory: SubscriberMemory;
  readonly read: ReadEvent;
  readonly lambda: LambdaContext;
  readonly attempt: number;
  /** Where the memory has the newest positions of the event's group and of its subject. */
  readonly group: MemoryKey;
  readonly subject: MemoryKey;
}

async function handle(delivery: Delivery): Promise<Outcome> {
  const { options, memory, read } = delivery;
  if (!hasTime(delivery.lambda)) throw timeIsOver();
  if (read.replayId !== undefined && options.replays === 'skip') return 'replay';
  if (!options.unfiltered) return dispatch(delivery);
  await logGap(delivery);
  const outcome = await dispatch(delivery).catch(async (cause: unknown) => {
    await noteFirst(delivery);
    throw cause;
  });
  await memory.advance(delivery.group, positionOf(read));
  return outcome;
}

/** A group's first event here may fail for good. So the position before it is noted, and the next event shows the gap. */
async function noteFirst({ memory, log, group, read }: Delivery): Promise<void> {
  try {
    if ((await memory.newest(group)) !== undefined) return;
    await memory.advance(group, positionOf(read, read.sequence - 1));
  } catch (error) {
    // The handler's error is the one to throw.
    log.warn('The memory could not note a return: a gap at its beginning would not show.', { error });
  }
}

async function dispatch(delivery: Delivery): Promise<Outcome> {
  const { options, read } = delivery;
  const foreign = whyForeign(read.envelope);
  if (foreign === undefined && options.on[read.envelope.type as MessageType] !== undefined) {
    const event = readData(read);
    const handler = options.on[event.type] as (
      event: FeedEvent | ReturnChanged,
      context: HandlerContext,
    ) => unknown;
    return runHandler(delivery, (context) => handler(event, context));
  }
  const { otherwise } = options;
  if (otherwise !== undefined) return runHandler(delivery, (context) => otherwise(read.envelope, context));
  return foreign ?? 'unhandled';
}

async function runHandler(
  delivery: Delivery,
  run: (context: HandlerContext) => unknown,
): Promise<'handled' | 'repeated' | 'stale'> {
  const { options, memory, read, lambda, attempt, subject } = delivery;
  const position = positionOf(read);
  const again = options.replays === 'reprocess' ? read.replayId : undefined;
  const stale = position < ((await memory.newest(subject)) ?? '');
  if (stale && again === undefined && options.stale !== 'handle') return 'stale';
  const context = { lambda, position, stale, replayId: read.replayId, attempt };
  const { id } = read.envelope;
  const ran = await memory.once(
    { ...subject, of: again === undefined ? id : `${id}_${again}` },
    async () => void (await run(context)),
    () => lambda.getRemainingTimeInMillis(),
  );
  if (!stale) await memory.advance(subject, position);
  return ran ? 'handled' : 'repeated';
}

/** Reports missing numbers, except before the first event that arrived of a group: the subscriber may be younger. */
async function logGap(delivery: Delivery): Promise<void> {
  // Of these only the newest is sent.
  const { type } = delivery.read.envelope;
  if (type === 'feed.source_read' || type === RETURN_CHANGED) return;
  const { options, log, memory, read } = delivery;
  const newest = await memory.newest(delivery.group);
  if (newest === undefined) return;
  const known = parsePosition(newest);
  const last = known.generation === generationOf(read) ? known.sequence : 0;
  if (positionOf(read) < newest || read.sequence <= last + 1) return;
  const { partitionkey } = read.envelope;
  const gap = { partitionkey, generation: read.generation, from: last + 1, to: read.sequence - 1 };
  if (options.onGap) await options.onGap(gap);
  else log.warn('Events of a group are missing.', gap);
}

/** A later generation is newer, whatever the numbers. Padded, so that texts sort like generations and numbers. */
function positionOf(read: ReadEvent, sequence = read.sequence): string {
  return `${generationOf(read)}_${String(sequence).padStart(15, '0')}`;
}

function generationOf({ generation }: ReadEvent): string {
  return generation.padStart(12, '0');
}

function parsePosition(position: string): { readonly generation: string; readonly sequence: number } {
  const [generation = '', sequence = ''] = position.split('_');
  return { generation, sequence: Number(sequence) };
}

function memoryOf({ tableName, memory, unfiltered }: SubscriberOptions): SubscriberMemory {
  if (tableName !== undefined && memory !== undefined)
    throw new Error('Give `tableName` or `memory`, not both.');
  if (unfiltered && tableName === undefined && memory === undefined)
    throw new Error(
      '`unfiltered` needs a `tableName` or a `memory`: processes that do not share a memory would see false gaps.',
    );
  if (tableName !== undefined) return createTableMemory({ tableName });
  return memory ?? createProcessMemory();
}

/** Whether a handler may still begin. */
export function hasTime(lambda: LambdaContext): boolean {
  return lambda.getRemainingTimeInMillis() >= SHORTEST_RUN_MS;
}

function timeIsOver(): Error {
  return new Error(`The handler did not begin: less than ${SHORTEST_RUN_MS} ms of the time limit were left.`);
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause), { cause });
}
