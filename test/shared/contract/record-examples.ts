// Records the feed's events of a return at the reference service and of its source: every type of event at least once,
// by the poller and a relay in virtual time. docs/events has the results.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { ReturnChanged } from '../../../shared/contract/return-message.ts';
import { forgetReturnGroup } from '../../../shared/forget-return-group.ts';
import { redrive } from '../../../shared/publishing/redrive.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { readReturn } from '../../../shared/whole-returns/read-return.ts';
import { createMemoryDestination } from '../../fakes/memory-destination.ts';
import { createMemoryMarks } from '../../fakes/memory-marks.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

type Change = Parameters<SourceWorld['control']['mutate']>[1];

/** One change a minute; a name is a step of the reference service's simulation. */
const LIFE: readonly Change[] = [
  'return_line_item.approved',
  'return_line_item.approved',
  'shipment.labelled',
  'shipment.relabelled',
  'shipment.shipped',
  'exchange_line_item.variant_swapped',
  'shipment.delivered',
  'return_line_item.rma_assigned',
  'return_line_item.completed',
  'return_line_item.completed',
  'exchange_line_item.processed',
  'refund_transaction.paid',
];

/** A status that the service's document does not list. */
export const UNLISTED = 'RETURNED_TO_SENDER';

/** Changes that the simulation never makes: the service loses parts of the group, and sends an unlisted status. */
const LOSSES: readonly Change[] = [
  (draft) => void draft.exchange_line_items.pop(),
  (draft) => void draft.returns.pop(),
  (draft) => {
    for (const shipment of draft.shipments) shipment.status = UNLISTED;
  },
  (draft) => void draft.shipments.pop(),
];

const SERVICE = { groups: 12, seed: 7 };

/** @returns all events of the feed in the order of their publication; those of one minute by group */
export async function recordExamples(): Promise<FeedEvent[]> {
  const world = createSourceWorld(SERVICE);
  const session = world.startProcess('poller');
  const published = new Map<string, FeedEvent>();
  async function pass(minutes: number, by = session): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await world.nextTick(by);
      for (const event of await world.events()) published.set(event.id, published.get(event.id) ?? event);
    }
  }

  await pass(2);
  const group = createReturn(world);
  for (const change of LIFE) {
    await pass(1);
    world.control.mutate(group, change);
  }
  for (const change of LOSSES) {
    await pass(3);
    world.control.mutate(group, change);
  }
  await pass(3);
  world.control.remove(group);
  await pass(30);
  await failFor(world, () => pass(7));
  await pass(2);
  await skipAnEvent(world, group);
  await forget(world, group);
  // Keep one: the reports of the other minutes have the same content.
  await pass(1, world.startProcess('poller', { settings: { ...world.settings, sourceRead: true } }));
  return [...published.values()];
}

/** Records what a webhook of whole returns gets after the same life, if it has missed the last changes. */
export async function recordReturnMessage(): Promise<ReturnChanged> {
  const world = createSourceWorld(SERVICE);
  const session = world.startProcess('poller');
  await world.nextTick(session);
  await world.nextTick(session);
  const group = createReturn(world);
  for (const change of LIFE) {
    await world.nextTick(session);
    world.control.mutate(group, change);
  }
  await world.nextTick(session);
  const key = { ...(await world.source()), group };
  const last = (await world.store.load(key, [group])).get(group)?.sequence ?? 0;
  const ports = { ledger: world.ledger, snapshots: world.store, filter: {}, clock: world.time };
  const read = await readReturn(ports, key, last - MISSED);
  if (read === undefined) throw new Error('The return has no message.');
  return read.message;
}

const MISSED = 3;

/** Creates a return of two items by one parcel, with an exchange. */
function createReturn({ control }: SourceWorld): number {
  for (let tries = 0; tries < 100; tries += 1) {
    const { groupId } = control.create();
    const group = control.snapshot().find(({ id }) => id === groupId);
    const isRich =
      group?.returns.length === 2 &&
      group.exchange_line_items.length > 0 &&
      group.shipments.length === 1 &&
      group.returns.every(({ status }) => status === 'IN_REVIEW');
    if (isRich) return groupId;
    control.remove(groupId);
  }
  throw new Error('No return with two items, a parcel and an exchange was created.');
}

async function failFor({ control }: SourceWorld, pass: () => Promise<void>): Promise<void> {
  control.setKnob('faultKinds', ['500-html']);
  control.setKnob('faultRate', 1);
  await pass();
  control.setKnob('faultRate', 0);
}

async function forget(world: SourceWorld, group: number): Promise<void> {
  const eraser = {
    erase: async (...range: Parameters<typeof world.ledger.expire>) => {
      world.ledger.expire(...range);
      return range[1];
    },
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const ports = { ...world, marks: createMemoryMarks(), eraser, clock: world.time, log };
  await world.time.run(forgetReturnGroup(ports, await world.state(), group, []));
}

/** A destination always refuses an event, and an operator skips it. */
async function skipAnEvent(world: SourceWorld, group: number): Promise<void> {
  const key = { ...(await world.source()), group };
  const destination = createMemoryDestination('queue');
  destination.answer = ({ data: { sequence } }) =>
    sequence === 3 ? { sent: false, cause: 'rejected', reason: 'InvalidMessageContents' } : { sent: true };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const { ledger, time } = world;
  const stored = { ledger, marks: createMemoryMarks(), presentGeneration: async () => key.generation };
  const ports = { ...stored, destination, clock: time, log, random: () => 0.5 };
  await time.run(redrive(ports, createRelay(ports), key, 10_000, { stepOver: 3 }));
}
