// Stories of parcels and their line items at the reference service in virtual time, with the events that the feed
// publishes for them. Each story is a return of its own, with one step a minute.
import type { Alteration } from '../../../local/reference-service/store/store.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { Decision } from '../../../shared/deployment/sample-warehouse.ts';
import { createSourceWorld, type SourceWorld } from '../../shared/source-world.ts';

export interface Story {
  /** The return at the feed's first reading: two line items in one parcel on its way, unless altered. */
  readonly begins?: Alteration;
  readonly steps: readonly (Alteration | 'gone')[];
  /** Number of line items for which workflows wait after the delivery of the first parcel. */
  readonly waits: number;
  /** The final decision on each part. */
  readonly ends: Readonly<Record<string, Decision>>;
  /** How many of these wait until the time limit passes. @default 0 */
  readonly timeOuts?: number;
  /** Number of workflows. @default 1 */
  readonly workflows?: number;
}

const shipment =
  (place: number, status: string): Alteration =>
  ({ shipments }) => {
    shipments[place]!.status = status;
  };
const delivered = shipment(0, 'DELIVERED');
const item =
  (place: number, status: string): Alteration =>
  ({ returns }) => {
    returns[place]!.status = status;
  };

/** Splits the parcel in two, the second with the last line item; `first` gives the line items of the first. */
const inTwoParcels =
  (first: (ids: number[]) => number[]): Alteration =>
  ({ shipments, returns }) => {
    const [parcel] = shipments;
    const ids = returns.map(({ id }) => id);
    shipments.push({ ...parcel!, id: parcel!.id + 1, return_ids: ids.slice(1) });
    parcel!.return_ids = first(ids);
  };

const RESTOCKED = { 'item 0': 'RESTOCK', 'item 1': 'RESTOCK' } as const;

export const STORIES = {
  'all is as it should be': {
    steps: [delivered, item(0, 'COMPLETED'), item(1, 'COMPLETED')],
    waits: 2,
    ends: RESTOCKED,
  },
  'a line item is canceled': {
    steps: [delivered, item(0, 'COMPLETED'), item(1, 'CANCELED')],
    waits: 2,
    ends: { 'item 0': 'RESTOCK', 'item 1': 'QUARANTINE' },
  },
  'a line item comes to a status that no document lists': {
    steps: [delivered, item(0, 'DAMAGED'), item(1, 'COMPLETED')],
    waits: 2,
    ends: { 'item 0': 'QUARANTINE', 'item 1': 'RESTOCK' },
  },
  'all was done before the parcel was delivered': {
    steps: [item(0, 'COMPLETED'), item(1, 'COMPLETED'), delivered],
    waits: 0,
    ends: RESTOCKED,
  },
  'the parcel is first seen when it is delivered': {
    begins: delivered,
    steps: [item(0, 'COMPLETED'), item(1, 'COMPLETED')],
    waits: 2,
    ends: RESTOCKED,
  },
  'a line item is in review before it is done': {
    steps: [delivered, item(0, 'IN_REVIEW'), item(0, 'OPEN'), item(0, 'COMPLETED'), item(1, 'COMPLETED')],
    waits: 2,
    ends: RESTOCKED,
  },
  'a line item was done before the feed began': {
    begins: item(0, 'COMPLETED'),
    steps: [delivered, item(1, 'COMPLETED')],
    waits: 1,
    ends: RESTOCKED,
  },
  'nothing is heard of a line item': {
    steps: [delivered, item(0, 'COMPLETED')],
    waits: 2,
    ends: { 'item 0': 'RESTOCK', 'item 1': 'ESCALATE' },
    timeOuts: 1,
  },
  'the return comes in two parcels': {
    begins: inTwoParcels((ids) => ids.slice(0, 1)),
    steps: [delivered, item(0, 'COMPLETED'), shipment(1, 'DELIVERED'), item(1, 'COMPLETED')],
    waits: 1,
    ends: RESTOCKED,
    workflows: 2,
  },
  'two parcels bring the same line item': {
    begins: inTwoParcels((ids) => ids),
    steps: [delivered, shipment(1, 'DELIVERED'), item(0, 'COMPLETED'), item(1, 'CANCELED')],
    waits: 2,
    ends: { 'item 0': 'RESTOCK', 'item 1': 'QUARANTINE' },
    workflows: 2,
  },
  'the parcel is delivered, given back and delivered again': {
    steps: [delivered, shipment(0, 'FAILED'), delivered, item(0, 'COMPLETED'), item(1, 'COMPLETED')],
    waits: 2,
    ends: RESTOCKED,
  },
  'the parcel goes on after it was delivered': {
    steps: [delivered, shipment(0, 'FAILED'), item(0, 'COMPLETED'), item(1, 'COMPLETED')],
    waits: 2,
    ends: RESTOCKED,
  },
  'a line item is removed': {
    steps: [delivered, item(0, 'COMPLETED'), ({ returns }) => void returns.pop()],
    waits: 2,
    ends: { 'item 0': 'RESTOCK', 'item 1': 'QUARANTINE' },
  },
  'the return is removed': {
    steps: [delivered, 'gone'],
    waits: 2,
    ends: { 'item 0': 'QUARANTINE', 'item 1': 'QUARANTINE' },
  },
  'a parcel of unknown content is delivered': {
    begins: ({ shipments, returns }) => {
      shipments[0]!.return_ids = [];
      for (const each of returns) each.shipment_id = null;
    },
    steps: [delivered],
    waits: 0,
    ends: { parcel: 'ESCALATE' },
  },
} as const satisfies Record<string, Story>;

export interface RecordedStory extends Story {
  readonly name: string;
  readonly group: number;
  /** The names of parts in {@link Story.ends}, by those in the warehouse's table. */
  readonly parts: Readonly<Record<string, string>>;
  /** In order. */
  readonly events: readonly FeedEvent[];
}

/** Minutes after the last step: a removed return is only published after two look-ups. */
const MINUTES_AFTER = 30;

export async function recordStories(): Promise<readonly RecordedStory[]> {
  const world = createSourceWorld({ groups: 12, seed: 7 });
  const session = world.startProcess('poller');
  const stories: [string, Story][] = Object.entries(STORIES);
  const longest = Math.max(...stories.map(([, { steps }]) => steps.length));
  await world.nextTick(session);
  await world.nextTick(session);

  const groups = stories.map(([, { begins }]) => createReturn(world, begins));
  for (let minute = 0; minute < longest; minute += 1) {
    await world.nextTick(session);
    for (const [place, [, { steps }]] of stories.entries()) {
      const step = steps[minute];
      if (step === 'gone') world.control.remove(groups[place]!.id);
      else if (step !== undefined) world.control.mutate(groups[place]!.id, step);
    }
  }
  for (let minute = 0; minute < MINUTES_AFTER; minute += 1) await world.nextTick(session);

  return Promise.all(
    stories.map(async ([name, story], place) => {
      const { id: group, parts } = groups[place]!;
      return { ...story, name, group, parts, events: await world.groupEvents(group) };
    }),
  );
}

/** Creates a return of two line items, on their way in one parcel. */
function createReturn({ control }: SourceWorld, begins: Alteration = () => {}) {
  for (let tries = 0; tries < 200; tries += 1) {
    let isOne = false;
    const { groupId } = control.create((draft) => {
      isOne = draft.returns.length === 2 && draft.shipments[0]?.return_ids.length === 2;
      for (const each of draft.returns) each.status = 'OPEN';
      for (const each of draft.shipments) each.status = 'IN_TRANSIT';
      if (isOne) begins(draft);
    });
    const group = control.snapshot().find(({ id }) => id === groupId);
    if (isOne && group) return { id: groupId, parts: partsOf(group) };
    control.remove(groupId);
  }
  throw new Error('No return with two line items and a parcel was created.');
}

function partsOf({ returns, shipments }: ReturnType<SourceWorld['control']['snapshot']>[number]) {
  const items = returns.map(({ id }, place) => [`line_item/${id}`, `item ${place}`]);
  return Object.fromEntries([...items, [`parcel/${shipments[0]?.id}`, 'parcel']]);
}
