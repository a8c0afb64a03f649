// Commands and the console use this view of a feed. open-directory.ts opens a data directory on this machine,
// open-deployment.ts opens a deployment in AWS. No other file knows where the feed is kept.
import type { Activity } from '../../functions/adapters/dynamodb-activities.ts';
import type { BehindGroup, Mark } from '../../functions/adapters/dynamodb-behind.ts';
import type { DirectoryEntry, InvalidEntry } from '../../functions/adapters/dynamodb-source-directory.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import type { DestinationLabels, DestinationTraits } from '../../shared/deployment/destinations.ts';
import type { MessageShape } from '../../shared/deployment/message-shape.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import type {
  Clock,
  GroupKey,
  Ledger,
  LedgerEraser,
  Log,
  SnapshotStore,
  SourceStates,
} from '../../shared/ports.ts';
import type { Readers } from '../../shared/pulling/reader.ts';
import type { CountedPositions } from '../../shared/pulling/unread.ts';
import type { PresentGeneration } from '../../shared/source/present-generation.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { EndpointStates, WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import { createPrinter } from '../cli/print.ts';
import { createTerminalLog } from '../cli/terminal-log.ts';
import type { ForwardedUrl, Start } from '../store/documents.ts';
import type { Unsent } from '../store/unsent.ts';
import type { UnsentQuery } from './changed-groups.ts';
import type { Deployment } from './find-deployment.ts';
import type { AccessOptions, ServiceAccess } from './service-access.ts';

/** The process that has a data directory for a `watch`; null if none has it, undefined if that is not known. */
export type Poller = { readonly pid: number } | null | undefined;

export interface PlaceFlags {
  readonly data?: string;
  readonly stack?: string;
}

export type ConfiguredSources = ReadonlyMap<string, DirectoryEntry | InvalidEntry>;

/** Queries that only operators make. */
export interface FeedLists {
  /** The names of the sources that have a state, sorted. */
  sources(): Promise<readonly string[]>;
  /** Strongly consistent. */
  mark(destination: string, key: GroupKey): Promise<Mark>;
  /** The returns and events that a destination lacks; null if unknown. */
  unsent(query: UnsentQuery): Promise<Unsent | null>;
  /** The groups that stopped at an event that the destination rejects, of one source or of all. */
  behind(destination: string, source?: string): AsyncIterable<BehindGroup>;
  /**
   * The ids of groups whose stored state may have a text, the newest by creation first, at most `most`; removed ones are
   * left out. A place without an index of texts returns the newest groups.
   */
  candidates(source: Pick<GroupKey, 'source' | 'generation'>, text: string, most: number): Promise<number[]>;
  /**
   * The ids of groups that had a tracking number, as far as the ledger still has their events; empty in a deployment,
   * whose ledger has no index of texts.
   */
  formerly(source: Pick<GroupKey, 'source' | 'generation'>, trackingNumber: string): Promise<number[]>;
  /** The skipped events of a group; empty in a deployment, where the bus reports them. */
  skipped(key: GroupKey): Promise<readonly SkippedEvents[]>;
}

/** Events that a destination will never get. */
export interface SkippedEvents {
  /** The name of its marks. */
  readonly destination: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface OpenFeed {
  /** The flags that name this place again, such as ` --data state`. */
  readonly flags: string;
  /** The parts in AWS; undefined for a data directory. */
  readonly deployment: Deployment | undefined;
  readonly clock: Clock;
  /** Warnings and errors go to stderr. */
  readonly log: Log;
  readonly states: SourceStates;
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly eraser: LedgerEraser;
  readonly marks: WebhookMarks;
  readonly endpoints: EndpointStates;
  /** The states of these sources, without those that have none; in any order. */
  statesOf(sources: readonly string[]): Promise<readonly SourceState[]>;
  /** The sources that are configured, by name; undefined where that is not known, as on one machine. */
  configured(): Promise<ConfiguredSources | undefined>;
  /** What changed last of each of these sources; without those of which nothing is known. */
  activitiesOf(sources: readonly string[]): Promise<ReadonlyMap<string, Activity>>;
  readonly presentGeneration: PresentGeneration;
  /** Of the pull feed. */
  readonly readers: Readers;
  readonly positions: CountedPositions;
  readonly lists: FeedLists;
  /** The destinations that have marks. On one machine the marks of `watch` count the printed events. */
  readonly destinations: readonly DestinationTraits[];
  /** The webhooks, which have marks too; on one machine the URLs that `watch` forwards to. */
  webhooks(): Promise<readonly WebhookLabels[]>;
  /** The names of all sources, or only the given one. @throws Error if that one has no state here */
  sources(asked: string | undefined): Promise<readonly string[]>;
  /** The state of a source. @throws Error if it has none here */
  stateOf(source: string): Promise<SourceState>;
  /** Opens the way to ask the service. */
  openAccess(options: AccessOptions): ServiceAccess;
  /** The `watch` that has the data directory, null if none has it; undefined for a deployment. */
  poller(): Promise<Poller>;
  /** The last `watch` of a source; undefined if it is not known. */
  lastStart(source: string): Promise<Start | undefined>;
  close(): Promise<void>;
}

export interface WebhookLabels extends DestinationLabels {
  readonly filter: EventFilter;
  /** @default 'event' */
  readonly shape?: MessageShape | undefined;
  /** Of a URL that `watch` forwards to: the URL without what may be a secret. */
  readonly address?: string;
  /** See {@link ForwardedUrl}. */
  readonly isDropped?: boolean | undefined;
}

/** Finds sources by name, with errors that list the known ones. */
export function findSources(
  lists: Pick<FeedLists, 'sources'>,
  states: Pick<SourceStates, 'load'>,
): Pick<OpenFeed, 'sources' | 'stateOf'> {
  async function sources(asked: string | undefined): Promise<readonly string[]> {
    const names = await lists.sources();
    if (asked === undefined) return names;
    if (names.includes(asked)) return [asked];
    const others = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
    throw new Error(`There is no state of a source "${asked}"; ${others}.`);
  }
  return {
    sources,
    async stateOf(source) {
      await sources(source);
      const state = await states.load(source);
      if (state === undefined) throw new Error(`There is no state of a source "${source}".`);
      return state;
    },
  };
}

/** Warnings and errors, on stderr. */
export function openStderrLog(): Log {
  const err = createPrinter(process.stderr);
  return createTerminalLog({ write: (line) => void err.line(line).catch(() => {}) });
}

export function labelsOfWebhook({ id, filter, shape }: WebhookRecord): WebhookLabels {
  return { name: id, mark: id, title: `the webhook ${id}`, filter, shape };
}

export function labelsOfForwarded({ id, ...url }: ForwardedUrl): WebhookLabels {
  return { name: id, mark: id, title: url.address, ...url };
}
