// Moves a source from a data directory to a deployment: its numbers, ids and generation go on there. The directory is
// fenced first, so that it never numbers another event; the state comes last, so that nothing polls a part of it. Marks
// come before the ledger, whose stream wakes the relays: these would publish all events again. Each step can be repeated
// after an interruption: what was written is left as it is.
import { insertBatch } from '../../functions/adapters/dynamodb-batch-insert.ts';
import type { TableAccess } from '../../functions/adapters/dynamodb-client.ts';
import { expiry, expiryOfRead, toLedgerItem } from '../../functions/adapters/ledger-item.ts';
import type { RingQueue } from '../../functions/adapters/ring-queue.ts';
import { toSnapshotItem } from '../../functions/adapters/snapshot-item.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { FEED_GROUP, READ_GROUP } from '../../shared/contract/event-id.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { NO_LEASE } from '../../shared/pacing/lease.ts';
import type { GroupKey, SourceStates } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { isMoved, movedTo } from '../../shared/source/restored-state.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { EndpointStates, WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import type { LocalStore } from '../store/open-store.ts';

export interface MoveOptions {
  readonly from: LocalStore;
  readonly to: TableAccess<'snapshots' | 'ledger' | 'marks' | 'sources'> & {
    readonly states: SourceStates;
    readonly marks: WebhookMarks;
    readonly endpoints: EndpointStates;
    /** The names under which its destinations keep marks, webhooks included. */
    readonly destinations: readonly string[];
  };
  /** The webhooks that go on where a forwarded URL stopped. */
  readonly webhooks: readonly MovedWebhook[];
  readonly onProgress: (message: string) => Promise<void>;
}

export interface MovedWebhook {
  /** The id of the URL in the directory, and that of the webhook. */
  readonly url: string;
  readonly webhook: string;
  readonly queue: Pick<RingQueue, 'ring'>;
}

export interface Moved {
  /** Whether an earlier call had moved it. */
  readonly wasMoved: boolean;
  readonly snapshots: number;
  readonly events: number;
  /** Returns with events that a webhook still has to send. */
  readonly rung: number;
  /** As it is saved there. */
  readonly state: SourceState;
}

/** Events read at once, and writes under way at once. */
const EVENTS = 1_000;
const AT_ONCE = 16;

/** @throws Error if the source is unknown here, was moved elsewhere, is being polled, or has another state there */
export async function moveSource(options: MoveOptions, source: string): Promise<Moved> {
  const { from, to, onProgress } = options;
  const place = await to.states.identity();
  const there = await to.states.load(source);
  const here = await from.states.load(source);
  if (here === undefined) throw new Error(`There is no state of a source "${source}" in this directory.`);
  if (there !== undefined && there.generation !== here.generation)
    throw new Error(
      `The deployment has another state of source ${source} (generation ${there.generation}, here ` +
        `${here.generation}): it can't go on with both. Move it under another deployment.`,
    );
  const fenced = await fence(options, here, place);
  if (there !== undefined) return { wasMoved: true, snapshots: 0, events: 0, rung: 0, state: there };
  const lasts = await listLasts(from, source);
  await onProgress(`${source}: ${lasts.length} returns with events.`);
  const late = await writeMarks(options, lasts);
  const snapshots = await copySnapshots(options, source);
  const events = await copyEvents(options, lasts);
  for (const { url, webhook } of options.webhooks) await copyEndpoint(options, url, webhook);
  const state = await begin(options, fenced, place);
  const now = to.clock.now();
  await inParallel(late, AT_ONCE, ({ queue, key, last }) => queue.ring(key, last, now));
  return { wasMoved: false, snapshots, events, rung: late.length, state };
}

/** From now on no poll of the directory goes on with the source. */
async function fence({ from, to }: MoveOptions, state: SourceState, place: string): Promise<SourceState> {
  const moved = movedTo(place);
  if (state.mintedIn === moved) return state;
  if (isMoved(state)) throw new Error(`Source ${state.source} was moved to another deployment before.`);
  if (state.mintedIn !== (await from.states.identity()))
    throw new Error(
      `The state of source ${state.source} was restored or copied: run "sources restore" first.`,
    );
  if (state.lease.expiresAt > to.clock.now())
    throw new Error(`A poll of source ${state.source} is running: try again in a minute.`);
  const next = { ...state, mintedIn: moved, version: state.version + 1 };
  if ((await from.states.save(next, state.version)) === 'saved') return next;
  throw new Error(`A poll saved the state of source ${state.source} meanwhile: stop "watch", and try again.`);
}

interface Last {
  readonly key: GroupKey;
  readonly last: number;
}

async function listLasts({ ledger }: LocalStore, source: string): Promise<Last[]> {
  const lasts: Last[] = [];
  for await (const each of ledger.groups()) if (each.key.source === source) lasts.push(each);
  return lasts;
}

/** @returns the groups of which a webhook has not sent everything, with the webhook's queue */
async function writeMarks({ from, to, webhooks }: MoveOptions, lasts: readonly Last[]) {
  const goingOn = new Map(webhooks.map((each) => [each.webhook, each]));
  const marked = await inParallel(lasts, AT_ONCE, async ({ key, last }) => {
    const late: (Last & Pick<MovedWebhook, 'queue'>)[] = [];
    for (const destination of to.destinations) {
      const moved = goingOn.get(destination);
      const sent = moved === undefined ? last : ((await from.marks.load(moved.url, key)) ?? 0);
      if (sent > 0) await to.marks.advance(destination, key, sent);
      if (moved !== undefined && sent < last) late.push({ key, last, queue: moved.queue });
    }
    return late;
  });
  return marked.flat();
}

async function copySnapshots({ from, to, onProgress }: MoveOptions, source: string): Promise<number> {
  let copied = 0;
  for await (const some of from.allSnapshots(source)) {
    const items = some.map(({ key, snapshot }) => toSnapshotItem(key, snapshot));
    await insertBatch(to, to.tables.snapshots, items);
    copied += some.length;
    await onProgress(`${source}: ${copied} returns copied.`);
  }
  return copied;
}

async function copyEvents({ from, to, onProgress }: MoveOptions, lasts: readonly Last[]): Promise<number> {
  const now = to.clock.now();
  let copied = 0;
  let waiting: ReturnType<typeof toLedgerItem>[] = [];
  const write = async () => {
    await insertBatch(to, to.tables.ledger, waiting);
    copied += waiting.length;
    waiting = [];
    await onProgress(`${lasts[0]?.key.source}: ${copied} events copied.`);
  };
  for (const { key } of lasts)
    for await (const event of eventsOf(from, key)) {
      waiting.push(toLedgerItem(key, event, expiryOf(key, now)));
      if (waiting.length >= EVENTS) await write();
    }
  if (waiting.length > 0) await write();
  return copied;
}

/** @throws Error for an event that can't be decoded: without it the order of its return would have a gap */
async function* eventsOf({ ledger }: LocalStore, key: GroupKey): AsyncGenerator<FeedEvent> {
  for (let after = 0; ; ) {
    const entries = await ledger.read(key, after, EVENTS);
    for (const entry of entries) {
      if (!('event' in entry))
        throw new Error(
          `Event ${entry.sequence} of ${formatGroupKey(key)} can't be read: ${entry.undecodable}`,
        );
      after = entry.sequence;
      yield entry.event;
    }
    if (entries.length < EVENTS) return;
  }
}

/** Events of the feed itself never expire. */
function expiryOf({ group }: GroupKey, now: number): number | undefined {
  if (group === FEED_GROUP) return undefined;
  return group === READ_GROUP ? expiryOfRead(now) : expiry(now);
}

/** So that an endpoint that was failing is not tried as if it were new. */
async function copyEndpoint({ from, to }: MoveOptions, url: string, webhook: string): Promise<void> {
  const state = await from.endpoints.load(url);
  const isKnown = (await to.endpoints.load(webhook)) !== undefined;
  if (state !== undefined && !isKnown) await to.endpoints.save(webhook, { ...state, version: 1 }, 0);
}

async function begin({ to }: MoveOptions, fenced: SourceState, place: string): Promise<SourceState> {
  // A new epoch makes every process read anew.
  const lease = { ...NO_LEASE, epoch: fenced.lease.epoch + 1 };
  const state = { ...fenced, version: 1, mintedIn: place, lease };
  if ((await to.states.save(state, 0)) === 'saved') return state;
  throw new Error(
    `A poll of the deployment began source ${state.source} meanwhile: see "returns-feed status".`,
  );
}
