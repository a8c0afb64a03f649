// The registry of a feed's destinations. Commands take their names. To add one: its name and traits here, its adapter
// in functions/adapters/open-destination.ts, its address in functions/relay/relay-environment.ts and
// local/place/named-destinations.ts, its relay and sweep in infra/publishing.ts, its alarms in infra/monitoring.ts.
// The compiler names each of these files.
import { FEED_GROUP } from '../contract/event-id.ts';
import type { GroupKey } from '../ports.ts';

/** Those that events are sent to. */
export const DESTINATION_NAMES = ['ordered', 'bus'] as const;
export type DestinationName = (typeof DESTINATION_NAMES)[number];

/** Those that have a relay. That of the pull feed, which not every deployment has, assigns positions and sends nothing. */
export const RELAY_NAMES = [...DESTINATION_NAMES, 'pull'] as const;
export type RelayName = (typeof RELAY_NAMES)[number];

/** The name of the marks of what `watch` has handed over. */
export const WATCH_MARK = 'watch';
/** The prefix of the names of marks of URLs that `watch` forwards to. */
export const FORWARD_PREFIX = 'forward-';

/** How commands and stored items refer to a destination. */
export interface DestinationLabels {
  /** For command lines and their output. */
  readonly name: string;
  /**
   * In marks, and wherever the destination is published: events about skipped numbers, metrics, logs. Never changes.
   */
  readonly mark: string;
  /** For sentences. */
  readonly title: string;
}

export interface DestinationTraits extends DestinationLabels {
  /** Whether it gets the feed's reports on itself. The topic and the bus get `feed.source_read`. */
  readonly getsReports: boolean;
}

const TRAITS: Readonly<Record<RelayName, DestinationTraits>> = {
  // Its mark is older than the topic: under a new name the feed would publish the last 30 days again.
  ordered: { name: 'ordered', mark: 'queue', title: 'the ordered subscribers', getsReports: false },
  bus: { name: 'bus', mark: 'bus', title: 'the bus', getsReports: true },
  pull: { name: 'pull', mark: 'pull', title: 'the pull feed', getsReports: false },
};

export function traitsOf(destination: RelayName): DestinationTraits {
  return TRAITS[destination];
}

/** Returns the destination's name in marks, and wherever it is stored or published. */
export function markOf(destination: RelayName): string {
  return TRAITS[destination].mark;
}

/** Returns which groups the relay passes over for this destination. */
export function withheldFrom(destination: DestinationName): (key: Pick<GroupKey, 'group'>) => boolean {
  return ({ group }) => !TRAITS[destination].getsReports && group === FEED_GROUP;
}

/** Whether a webhook can't have this id, because commands or marks mean something else by it. Ignores case. */
export function isReservedName(id: string): boolean {
  const name = id.toLowerCase();
  const taken = Object.values(TRAITS).flatMap((traits) => [traits.name, traits.mark]);
  return [...taken, WATCH_MARK].includes(name) || name.startsWith(FORWARD_PREFIX);
}
