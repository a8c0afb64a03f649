// Tries groups again that are behind at a destination, or skips the event at which they stopped: for the command
// `redrive`, and for the console.
import type { RingQueue } from '../../functions/adapters/ring-queue.ts';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import {
  type DestinationLabels,
  markOf,
  type RelayName,
  withheldFrom,
} from '../../shared/deployment/destinations.ts';
import type { GroupKey, LogFields } from '../../shared/ports.ts';
import type { LanePorts, RelayPorts } from '../../shared/publishing/lane.ts';
import { type Redriven, redrive } from '../../shared/publishing/redrive.ts';
import { createRelay, type Relay } from '../../shared/publishing/relay.ts';
import { type StepOverPorts, stepOver } from '../../shared/publishing/step-over.ts';
import { createPositionRelay } from '../../shared/pulling/assign-positions.ts';
import { RestoredStateError } from '../../shared/source/restored-state.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { UsageError } from '../cli/failures.ts';
import type { Deployment } from '../place/find-deployment.ts';
import {
  nameDestination,
  openDestinationOf,
  openPositionWriter,
  relaysOf,
} from '../place/named-destinations.ts';
import type { OpenFeed } from '../place/open-feed.ts';
import { withRingQueue } from './open-webhook.ts';

/** Which groups; without any, all that are recorded as behind at the destinations that have a relay. */
interface RedriveRequest {
  readonly source?: string | undefined;
  /** Needs a source. Tried even if it is not recorded as behind. */
  readonly group?: GroupKey['group'] | undefined;
  /** Needs a group. @default those in which the group is behind, and the present one */
  readonly generation?: string | undefined;
  /** A destination's name, or the id of a webhook; on one machine also a forwarded URL as `status` shows it. */
  readonly to?: string | undefined;
  /** The number of the event to skip, if the group is stuck at it. Needs a group. */
  readonly skip?: number | undefined;
}

export interface RedrivenGroup {
  /** As `status` names it. */
  readonly destination: string;
  readonly key: GroupKey;
  /** Whether the source has begun a newer generation since. */
  readonly isEarlier: boolean;
  /** In words. */
  readonly outcome: string;
  readonly isBehind: boolean;
}

type OnGroup = (group: RedrivenGroup) => Promise<void>;

type FoundKey = Pick<RedrivenGroup, 'key' | 'isEarlier'>;

/** Per group: enough for more than ten thousand events. */
const GROUP_MS = 60_000;

/**
 * @param onGroup called after each group
 * @throws UsageError for an unknown destination, for a generation that the source never had, and if several generations
 * are stuck at the event to skip
 */
export async function redriveGroups(
  feed: OpenFeed,
  request: RedriveRequest,
  onGroup: OnGroup,
): Promise<void> {
  const { to } = request;
  if (feed.deployment === undefined) return redriveHere(feed, request, onGroup);
  const relays = relaysOf(feed.deployment);
  const named = to === undefined ? undefined : await nameDestination(feed.deployment, relays, to);
  if (named !== undefined && 'webhook' in named)
    return withRingQueue(named.webhook, (queue) => {
      const { id } = named.webhook;
      return ringAll(feed, queue, { mark: id, title: id }, request, onGroup);
    });
  for (const name of named === undefined ? relays : [named.destination])
    await redriveTo(feed, feed.deployment, name, request, onGroup);
}

/** On one machine, `watch` tries a group again whose note is gone: at once if it runs, otherwise at its start. */
async function redriveHere(feed: OpenFeed, request: RedriveRequest, onGroup: OnGroup): Promise<void> {
  const all = [...feed.destinations, ...(await feed.webhooks())];
  const { to } = request;
  const named = all.filter(({ name, title }) => to === undefined || to === name || to === title);
  if (named.length === 0)
    throw new UsageError(
      `There is no destination "${to}"; there are ${all.map(({ name, title }) => `${name} (${title})`).join(', ')}.`,
    );
  for (const { mark, title } of named) {
    const ring = async (key: GroupKey) => void (await feed.marks.noteBehind(mark, key, undefined));
    await ringAll(feed, { ring, ringBeside: ring }, { mark, title }, request, onGroup);
  }
}

async function findKeys(
  feed: OpenFeed,
  mark: string,
  { source, group, generation, skip }: RedriveRequest,
): Promise<readonly FoundKey[]> {
  if (source !== undefined && group !== undefined) {
    const state = await feed.stateOf(source);
    const keys = keysOfGroup(state, group);
    return generation === undefined
      ? stuckKeys(feed, mark, keys, skip)
      : [keyOfGeneration(state, keys, generation)];
  }
  const present = new Map<string, string | undefined>();
  if (source !== undefined) present.set(source, (await feed.stateOf(source)).generation);
  const keys: FoundKey[] = [];
  for await (const { key } of feed.lists.behind(mark, source)) {
    // A source may have marks and no state, for instance after its table was replaced.
    if (!present.has(key.source)) present.set(key.source, (await feed.states.load(key.source))?.generation);
    keys.push({ key, isEarlier: key.generation !== (present.get(key.source) ?? key.generation) });
  }
  return keys;
}

/** The group's keys in all generations, the present one last. */
function keysOfGroup(
  { source, generation, earlierGenerations }: SourceState,
  group: GroupKey['group'],
): FoundKey[] {
  return [...earlierGenerations, generation].map((each) => ({
    key: { source, generation: each, group },
    isEarlier: each !== generation,
  }));
}

function keyOfGeneration({ source }: SourceState, keys: readonly FoundKey[], generation: string): FoundKey {
  const found = keys.find(({ key }) => key.generation === generation);
  if (found !== undefined) return found;
  const known = keys.map(({ key }) => key.generation).join(', ');
  throw new UsageError(`Source ${source} has no generation "${generation}"; there are ${known}.`);
}

/**
 * The generations in which the group is noted as behind, and the present one in any case; to skip an event, only the one
 * that is stuck at it.
 */
async function stuckKeys(
  feed: OpenFeed,
  mark: string,
  keys: readonly FoundKey[],
  skip: number | undefined,
): Promise<readonly FoundKey[]> {
  const marks = await Promise.all(
    keys.map(async (found) => ({
      found,
      behind: (await feed.lists.mark(mark, found.key)).behind,
    })),
  );
  const atSkip = marks.filter(({ behind }) => skip !== undefined && behind?.startsWith(`${skip}: `));
  if (atSkip.length > 1) {
    const generations = atSkip.map(({ found }) => found.key.generation).join(' or ');
    throw new UsageError(
      `Return ${keys[0]?.key.group} is stuck at ${skip} in several generations: add --generation ${generations}.`,
    );
  }
  const chosen = marks.filter(({ found, behind }) => behind !== undefined || !found.isEarlier);
  return (atSkip.length === 1 ? atSkip : chosen).map(({ found }) => found);
}

async function ringAll(
  feed: OpenFeed,
  queue: Parameters<typeof ringGroup>[1],
  { mark, title }: Pick<DestinationLabels, 'mark' | 'title'>,
  request: RedriveRequest,
  onGroup: OnGroup,
): Promise<void> {
  const keys = await findKeys(feed, mark, request);
  if (keys.some(({ key }) => key.group === FEED_GROUP))
    throw new UsageError('A webhook gets no events of the feed itself: name a return group.');
  for (const found of keys) {
    const rung = await ringGroup(feed, queue, mark, found.key, request.skip);
    await onGroup({ destination: title, ...found, ...rung });
  }
}

async function redriveTo(
  feed: OpenFeed,
  deployment: Deployment,
  name: RelayName,
  request: RedriveRequest,
  onGroup: OnGroup,
): Promise<void> {
  let cause: string | undefined;
  // The printed outcome of a group lacks only one thing that the relay logs: the error.
  const note = (_: string, { error }: LogFields = {}) => {
    if (error instanceof Error) cause = error.message;
  };
  const ports = {
    ...feed,
    destination: { name: markOf(name) },
    log: { ...feed.log, warn: note, error: note },
    random: Math.random,
  };
  const { relay, close } = await openRelay(deployment, name, ports);
  const options = request.skip === undefined ? {} : { stepOver: request.skip };
  try {
    for (const found of await findKeys(feed, markOf(name), request)) {
      cause = undefined;
      const redriven = await redrive(ports, relay, found.key, GROUP_MS, options);
      const isBehind = redriven.outcome.state !== 'done';
      await onGroup({
        destination: name,
        ...found,
        outcome: describeOutcome(redriven, cause, request),
        isBehind,
      });
    }
  } finally {
    close();
  }
}

async function openRelay(
  deployment: Deployment,
  name: RelayName,
  ports: LanePorts & Pick<RelayPorts, 'clock' | 'random'>,
): Promise<{ readonly relay: Relay; close(): void }> {
  if (name === 'pull') {
    const { writer, close } = await openPositionWriter(deployment, ports.clock);
    return { relay: createPositionRelay({ ...ports, writer }), close };
  }
  const destination = await openDestinationOf(deployment, name);
  const relay = createRelay({ ...ports, destination, withholds: withheldFrom(name) });
  return { relay, close: destination.close };
}

function describeOutcome(
  { outcome, steppedOver }: Redriven,
  cause: string | undefined,
  { skip }: RedriveRequest,
): string {
  const { from, to } = steppedOver ?? {};
  const over =
    steppedOver === undefined ? 'nothing is skipped' : `skipped ${from === to ? from : `${from} to ${to}`}`;
  const skipped = skip === undefined ? '' : `${over}; `;
  if (outcome.state === 'done') return `${skipped}all events are sent`;
  if (outcome.state === 'failed')
    return `${skipped}failed: ${outcome.reason}${cause === undefined ? '' : `: ${cause}`}`;
  if (outcome.state === 'behind') return `${skipped}still behind at ${outcome.sequence}: ${outcome.reason}`;
  const { from: first, to: last } = outcome.missing;
  const missing = first === last ? `${first} is` : `${first} to ${last} are`;
  return `${skipped}stopped: ${missing} missing from the ledger`;
}

// Rings for return groups, so that a webhook's sender tries them again now and not after its pause.

/** Above every number of an event. For a group without a mark the sender then begins at the webhook's start. */
const BEYOND_ALL = 999_999_999_999_999;

/**
 * Rings for a group.
 *
 * @param skip the number of an event that is noted as failing: the mark moves over it, which is published
 * @returns the outcome in words; the group is behind if another event of it is noted as failing
 * @throws RestoredStateError instead of skipping in a state that was restored
 */
async function ringGroup(
  feed: OpenFeed,
  queue: Pick<RingQueue, 'ring' | 'ringBeside'>,
  webhook: string,
  key: GroupKey,
  skip: number | undefined,
): Promise<{ readonly outcome: string; readonly isBehind: boolean }> {
  if (skip !== undefined) {
    const { behind } = await feed.lists.mark(webhook, key);
    const [stuck, reason = ''] = behind?.split(/: (.*)/s) ?? [];
    if (Number(stuck) !== skip) return { outcome: describeOther(stuck, skip), isBehind: stuck !== undefined };
    // The outcome says it: for a command that was asked to skip it is no error.
    const log = { ...feed.log, error: feed.log.debug };
    const ports: StepOverPorts = { ...feed, log, destination: { name: webhook } };
    if (!(await stepOver(ports, key, { from: skip, to: skip }, `${reason}; stepped over by hand`)))
      throw new RestoredStateError(key.source, feed.flags);
  }
  const sent = await feed.marks.load(webhook, key);
  const now = feed.clock.now();
  await (sent === undefined ? queue.ring(key, BEYOND_ALL, now) : queue.ringBeside(key, sent + 1, now));
  const skipped = skip === undefined ? '' : `skipped ${skip}; `;
  return { outcome: `${skipped}its sender tries again`, isBehind: false };
}

function describeOther(stuck: string | undefined, skip: number): string {
  if (stuck === undefined) return 'nothing is skipped: no event of it is noted as failing';
  return `nothing is skipped: it is stuck at ${stuck}, not at ${skip}`;
}
