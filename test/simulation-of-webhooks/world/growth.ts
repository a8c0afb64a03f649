// The ledger grows: saves of one or several events of a group, at any moment of the plan.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { formatEventId } from '../../../shared/contract/event-id.ts';
import { formatInstant, type Instant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { World } from './world.ts';

/** Types with the statuses that they may have; some are not documented. */
const TYPES: readonly (readonly [string, readonly string[]])[] = [
  ['return_line_item.created', ['OPEN', 'RECEIVED', 'ODD']],
  ['return_line_item.status_changed', ['OPEN', 'RECEIVED', 'CANCELLED', 'ODD']],
  ['return_line_item.updated', ['OPEN']],
  ['shipment.created', ['IN_TRANSIT', 'DELIVERED', '']],
  ['shipment.status_changed', ['IN_TRANSIT', 'DELIVERED', 'ODD']],
  ['shipment.updated', ['DELIVERED']],
  ['refund_transaction.created', ['DELIVERED']],
];

export interface Growth {
  /** Saves events until the end of the plan's active time. */
  run(): Promise<void>;
  /** Saves one event of a group now. */
  save(key: GroupKey): void;
  /** The key of a group at this moment. */
  keyOf(source: number, group: number): GroupKey;
}

export function createGrowth(world: World): Growth {
  const { plan, time, ledger, snapshots } = world;
  const hasWhole = plan.webhooks.some(({ shape }) => shape === 'return');
  const random = world.randomFor('growth');

  function keyOf(source: number, group: number): GroupKey {
    const name = `s${source + 1}`;
    return { source: name, generation: world.generationOf(name), group: group + 1 };
  }

  function save(key: GroupKey, count = 1): void {
    const last = ledger.last(key);
    const by = time.now() - random.below(2) * SECOND;
    const events = Array.from({ length: count }, (_, index) => {
      const [drawn, statuses] = random.pick(TYPES);
      const sequence = last + 1 + index;
      const type = hasWhole && sequence === 1 ? 'return_group.created' : drawn;
      return makeEvent(key, sequence, type, random.pick(statuses), by);
    });
    snapshots.save(key, last + count);
    ledger.put(key, events);
  }

  return {
    keyOf,
    save,
    async run() {
      // Many events at the beginning: after an outage of a month they are older than the ledger's retention.
      const moments = Array.from({ length: plan.saves }, () => plan.activeMs * random.fraction() ** 3).sort(
        (a, b) => a - b,
      );
      for (const atMs of moments) {
        await time.sleep((world.start - time.now()) / MILLISECOND + atMs);
        // Half of all saves belong to a few groups.
        const groups = random.chance(0.5) ? Math.ceil(plan.groups / 4) : plan.groups;
        save(keyOf(random.below(plan.sources), random.below(groups)), 1 + random.below(plan.eventsAtOnce));
      }
    },
  };
}

function makeEvent(key: GroupKey, sequence: number, type: string, status: string, by: Instant): FeedEvent {
  const [entity = ''] = type.split('.');
  const event = {
    specversion: '1.0',
    id: formatEventId({ ...key, sequence }),
    source: `/sources/${key.source}`,
    type,
    subject: `return-groups/${key.group}/things/7`,
    time: formatInstant(by),
    datacontenttype: 'application/json',
    dataschema: `urn:returns-change-feed:${entity}:1`,
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: `${key.source}/${key.group}`,
    data: {
      generation: key.generation,
      sequence,
      return_group: { id: key.group },
      object: { type: entity, id: 7, status },
      observed: { after: null, by: formatInstant(by), through: 'poll' },
    },
  };
  // Only the parts of an event that delivery uses.
  return event as unknown as FeedEvent;
}
