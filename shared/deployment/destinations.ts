// The destinations of a feed. The infrastructure makes a relay, a sweep and an alarm for each, and commands take their
// names. To add one: its name here, its adapter in functions/adapters/open-destination.ts, its address in
// functions/relay/relay-environment.ts and local/operating/open-destinations.ts, its resources in infra/publishing.ts. The
// compiler names each of these places.
import { FEED_GROUP } from '../contract/event-id.ts';
import type { GroupKey } from '../ports.ts';

export const DESTINATION_NAMES = ['queue', 'bus'] as const;
export type DestinationName = (typeof DESTINATION_NAMES)[number];

/** Whether a destination gets only changes, not the feed's events about itself. */
const GETS_ONLY_CHANGES: Readonly<Record<DestinationName, boolean>> = { queue: true, bus: false };

/** Returns which groups the relay passes over for this destination. */
export function withheldFrom(destination: DestinationName): (key: Pick<GroupKey, 'group'>) => boolean {
  return ({ group }) => GETS_ONLY_CHANGES[destination] && group === FEED_GROUP;
}
