// A webhook of the shape `return`.
import { describe, expect, it } from 'vitest';
import { forgetGroup } from '../../../shared/comparing/forget-group.ts';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import { makeTombstone } from '../../../shared/comparing/tombstone.ts';
import type { Shipment } from '../../../shared/contract/entities.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { EventFilter } from '../../../shared/contract/event-filter.ts';
import { type ReturnChanged, returnChanged } from '../../../shared/contract/return-message.ts';
import { DAY, HOUR } from '../../../shared/instant.ts';
import type { Ledger } from '../../../shared/ports.ts';
import { createRingUnsent, sweepWebhook } from '../../../shared/webhooks/ring-unsent.ts';
import type { WebhookPorts } from '../../../shared/webhooks/webhook-sender.ts';
import { aShipment, aSnapshot } from '../../contract/sample-saves.ts';
import { anEvent } from '../publishing/an-event.ts';
import { createWebhookWorld, KEY, OTHER, WEBHOOK, type WebhookWorldOptions } from './webhook-world.ts';

const GROUP = 1;

/** A return whose number 1 is its creation; each later change sets its outcome to its number. */
function returnWorld(options: WebhookWorldOptions = {}) {
  const webhook = createWebhookWorld(options);
  const events = new Map<number, FeedEvent>();
  let snapshot: Snapshot | undefined;
  const ledger: Ledger = {
    ...webhook.ports.ledger,
    async read(key, after, limit) {
      if (key.group !== GROUP) return webhook.ports.ledger.read(key, after, limit);
      await world.duringRead();
      const numbers = [...events.keys()].filter((sequence) => sequence > after).sort((a, b) => a - b);
      return numbers
        .slice(0, limit)
        .map((sequence) => ({ sequence, event: events.get(sequence) as FeedEvent }));
    },
    async *groups() {
      if (events.size > 0) yield { key: KEY, last: Math.max(...events.keys()) };
    },
  };
  const world = {
    ...webhook,
    ledger,
    answers(answer: typeof webhook.answer): void {
      webhook.answer = answer;
    },
    duringRead: async () => {},
    /** Saves the next changes. */
    change(count = 1, event: (sequence: number) => FeedEvent = eventOf): void {
      for (let left = count; left > 0; left -= 1) {
        const sequence = (snapshot?.sequence ?? 0) + 1;
        events.set(sequence, event(sequence));
        snapshot = stateAt(sequence);
      }
    },
    replace(to: Snapshot, event?: FeedEvent): void {
      snapshot = to;
      if (event !== undefined) events.set(event.data.sequence, event);
    },
    lose: (...sequences: number[]) => sequences.map((sequence) => events.delete(sequence)),
    replaceEvent: (sequence: number) => void events.set(sequence, eventOf(sequence)),
    returnSnapshot: () => snapshot as Snapshot,
    whole: { ledger, snapshots: { load: async () => new Map(snapshot && [[GROUP, snapshot]]) } },
    ringReturn: (overrides: Partial<WebhookPorts> = {}) =>
      webhook.clock.run(webhook.sender({ ...world.whole, ...overrides })({ key: KEY, sequence: 1 }, 60_000)),
    messages: () => webhook.accepted.map(({ body }) => returnChanged.parse(JSON.parse(body))),
    mark: () => webhook.marks.load(WEBHOOK, KEY),
  };
  return world;
}

function eventOf(sequence: number): FeedEvent {
  const event = anEvent(KEY, sequence);
  return sequence === 1 ? ({ ...event, type: 'return_group.created' } as FeedEvent) : event;
}

function withoutShipment(sequence: number): FeedEvent {
  const { data, ...event } = anEvent(KEY, sequence);
  const object = { type: 'return_line_item', id: 5512, status: 'OPEN' };
  return { ...event, type: 'return_line_item.updated', data: { ...data, object } } as never;
}

function ofShipment(
  sequence: number,
  change: string,
  object: Partial<Shipment> = {},
  previous: Partial<Shipment> = {},
): FeedEvent {
  const { data, ...event } = anEvent(KEY, sequence);
  return {
    ...event,
    type: `shipment.${change}`,
    data: { ...data, object: { ...data.object, ...object }, previous_attributes: previous },
  } as never;
}

function withParcel(snapshot: Snapshot, parcel: Partial<Shipment>): Snapshot {
  const shipments = [{ ...aShipment(GROUP), ...parcel }];
  return { ...snapshot, projection: { ...snapshot.projection, shipments } };
}

function stateAt(sequence: number): Snapshot {
  const { projection } = aSnapshot(GROUP);
  const group = { ...projection.group, return_outcome: `${sequence}` };
  return aSnapshot(GROUP, sequence, { sequence, projection: { ...projection, group } });
}

const numbersOf = ({ data }: ReturnChanged) => data.changes.map(({ id }) => Number(id.split('_').at(-1)));

describe('a webhook that gets whole returns', () => {
  it('gets one message with the present state and all that has changed, and nothing twice', async () => {
    const world = returnWorld();
    world.change(3);

    expect(await world.ringReturn()).toEqual({ isDone: true });
    await world.ringReturn();

    const [message, ...others] = world.messages();
    expect(others).toEqual([]);
    expect(world.accepted[0]?.id).toBe('acme_mi8x2k_1_r3');
    expect(message).toMatchObject({ id: 'acme_mi8x2k_1_r3', type: 'return.changed', partitionkey: 'acme/1' });
    expect(message?.data).toMatchObject({ sequence: 3, is_new: true, return: { sequence: 3 } });
    expect(message?.data.return?.return_group.return_outcome).toBe('3');
    expect(message && numbersOf(message)).toEqual([1, 2, 3]);
    expect(message?.data.changes[1]).toEqual({
      id: 'acme_mi8x2k_1_2',
      type: 'shipment.status_changed',
      time: '2026-11-20T10:15:02.123456Z',
      object_id: '77120',
      changed: ['status'],
      previous_attributes: { status: 'IN_TRANSIT' },
    });
    expect(await world.mark()).toBe(3);
  });

  it('gets the newer state at the next attempt, still as new, instead of the one that failed', async () => {
    const world = returnWorld();
    world.change();
    world.answers(() => ({ status: 500 }));
    await world.ringReturn();
    world.change(2);
    world.answers(() => ({ status: 204 }));

    await world.ringReturn();

    expect(world.posted.map(({ id }) => id)).toEqual(['acme_mi8x2k_1_r1', 'acme_mi8x2k_1_r3']);
    expect(world.messages().map(({ data }) => [data.sequence, data.is_new])).toEqual([[3, true]]);
    expect(await world.mark()).toBe(3);
  });

  it('is retried by one schedule, whatever changes meanwhile', async () => {
    const world = returnWorld();
    world.answers(() => ({ status: 500 }));
    const pauses: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      world.change();
      const outcome = await world.ringReturn();
      if (outcome.isDone) throw new Error('It must not be done.');
      pauses.push(outcome.retryInMs / 1_000);
      await world.clock.advance(outcome.retryInMs * 1_000);
    }

    expect(pauses).toEqual([5, 30, 120]);
    expect(world.marks.behind(WEBHOOK, KEY)).toBe('1: answered 500');
  });

  it('is skipped after a day of rejections although its state changed, and the skip is published', async () => {
    const world = returnWorld();
    world.answers(({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? 422 : 204 }));
    for (let hour = 0; hour < 26; hour += 1) {
      world.change(hour < 20 ? 1 : 0);
      world.show(OTHER, hour + 1);
      await world.ring(OTHER, hour + 1);
      await world.ringReturn();
      await world.clock.advance(HOUR);
    }

    expect(await world.mark()).toBe(20);
    expect(world.shown.get('acme_mi8x2k_feed')).toEqual(new Set([1]));
  });

  it('gets everything if the filter passes any change, and nothing otherwise', async () => {
    const world = returnWorld({ filter: { types: ['shipment.created'] } });
    world.change(2);
    await world.ringReturn();
    const markAfterOthers = await world.mark();
    world.change();
    world.change(1, (sequence) => ({ ...anEvent(KEY, sequence), type: 'shipment.created' }) as FeedEvent);
    world.change();

    await world.ringReturn();

    expect(markAfterOthers).toBe(2);
    expect(world.messages().map(numbersOf)).toEqual([[3, 4, 5]]);
  });

  it.each<[string, Partial<Shipment>, EventFilter, number]>([
    ['a parcel with a tracking number', { tracking_number: '1Z9' }, { hasTracking: true }, 1],
    ['a parcel without one', { tracking_number: null }, { hasTracking: true }, 0],
    ['a parcel with an empty one', { tracking_number: '' }, { hasTracking: true }, 0],
    ['only a canceled parcel', { tracking_number: '1Z9', status: 'CANCELED' }, { hasTracking: true }, 0],
    ['a parcel without one', { tracking_number: null }, {}, 1],
  ])(
    'gets a change of a return that has %s: %o with the filter %j: %i messages',
    async (_what, parcel, filter, posts) => {
      const world = returnWorld({ filter });
      world.change(1, withoutShipment);
      world.replace(withParcel(world.returnSnapshot(), parcel));

      await world.ringReturn();

      expect(world.messages()).toHaveLength(posts);
      expect(await world.mark()).toBe(1);
    },
  );

  it.each<[string, (sequence: number) => FeedEvent]>([
    ['a parcel was canceled', (sequence) => ofShipment(sequence, 'status_changed', { status: 'CANCELED' })],
    ['a parcel is gone', (sequence) => ofShipment(sequence, 'removed')],
    [
      'a number is gone',
      (sequence) => ofShipment(sequence, 'updated', { tracking_number: null }, { tracking_number: '1Z9' }),
    ],
  ])(
    'with `hasTracking`, gets a return without a tracking number once more after %s',
    async (_what, event) => {
      const world = returnWorld({ filter: { hasTracking: true } });
      const untracked = () => world.replace(withParcel(world.returnSnapshot(), { tracking_number: null }));
      world.change(1, event);
      untracked();
      await world.ringReturn();
      world.change(1, withoutShipment);
      untracked();

      await world.ringReturn();

      expect(world.messages().map(numbersOf)).toEqual([[1]]);
      expect(await world.mark()).toBe(2);
    },
  );

  it.each(['removed', 'forgotten'])('with `hasTracking`, gets that a return was %s', async (end) => {
    const world = returnWorld({ filter: { hasTracking: true } });
    world.change(1, withoutShipment);
    const last = world.returnSnapshot();
    const [removedAt, { group }] = [world.clock.now(), last.projection];
    const removed = makeTombstone(last, { ...last, group, sequence: 2, removedAt });
    const { snapshot, events } = forgetGroup(last, KEY, removedAt, true);
    const event = { ...withoutShipment(2), type: 'return_group.removed' } as FeedEvent;
    if (end === 'removed') world.replace(removed, event);
    else world.replace(snapshot, events[0]);

    await world.ringReturn();

    expect(world.messages().map(({ data }) => data.return)).toEqual([null]);
  });

  it('is read again if the return changes while it is read', async () => {
    const world = returnWorld();
    world.change();
    let reads = 0;
    world.duringRead = async () => {
      reads += 1;
      // The first one finds where the webhook begins.
      if (reads === 2) world.change();
    };

    await world.ringReturn();

    expect(world.messages().map(({ data }) => [data.sequence, data.return?.sequence])).toEqual([[2, 2]]);
    expect(world.messages().map(numbersOf)).toEqual([[1, 2]]);
  });

  it('tries again later if the return changes whenever it is read', async () => {
    const world = returnWorld();
    world.change();
    world.duringRead = async () => world.change();

    expect(await world.ringReturn()).toMatchObject({ isDone: false, retryInMs: 5_000 });

    expect(world.posted).toEqual([]);
  });

  it('waits for the rest of a transaction that shows in parts', async () => {
    const world = returnWorld();
    world.change(3);
    world.lose(2);
    let reads = 0;
    world.duringRead = async () => {
      reads += 1;
      if (reads === 3) world.replaceEvent(2);
    };

    await world.ringReturn();

    expect(world.messages().map(numbersOf)).toEqual([[1, 2, 3]]);
    expect(world.messages()[0]?.data).not.toHaveProperty('changes_cut');
  });

  it('posts the state although the ledger has lost the changes, even those that the filter asks for', async () => {
    const world = returnWorld({ filter: { types: ['shipment.created'] } });
    world.change(3);
    world.lose(1, 2);

    expect(await world.ringReturn()).toEqual({ isDone: true });

    expect(world.messages().map(numbersOf)).toEqual([[3]]);
    expect(world.messages()[0]?.data.changes_cut).toBe(true);
  });

  it('lists the newest hundred changes, and is new although its creation is not among them', async () => {
    const world = returnWorld();
    world.change(230);

    await world.ringReturn();

    const [message] = world.messages();
    expect(message && numbersOf(message)).toEqual(Array.from({ length: 100 }, (_, index) => 131 + index));
    expect(message?.data).toMatchObject({ sequence: 230, is_new: true, changes_cut: true });
  });

  it.each([
    { bytes: 8_000, isCut: undefined },
    { bytes: 20_000, isCut: true },
  ])('leaves out old values above 1 MiB: $bytes bytes in each of 90', async ({ bytes, isCut }) => {
    const world = returnWorld();
    world.change(90, (sequence) => withPrevious(sequence, 'é'.repeat(bytes / 2)));

    await world.ringReturn();

    const [message] = world.messages();
    expect(Buffer.byteLength(world.accepted[0]?.body ?? '')).toBeLessThanOrEqual(1024 * 1024);
    expect(message?.data.previous_cut).toBe(isCut);
    expect(message?.data.changes).toHaveLength(90);
  });

  it('leaves out all changes if it is still too large', async () => {
    const world = returnWorld();
    world.change(90, (sequence) => ({ ...eventOf(sequence), type: 'x'.repeat(20_000) }) as never);

    await world.ringReturn();

    expect(world.messages()[0]?.data).toMatchObject({ changes: [], changes_cut: true, previous_cut: true });
    expect(world.messages()[0]?.data.return?.sequence).toBe(90);
  });

  it('says of a removed return only that', async () => {
    const world = returnWorld();
    world.change(2);
    world.change(1, (sequence) => ({ ...eventOf(sequence), type: 'return_group.removed' }) as FeedEvent);
    world.replace({ ...world.returnSnapshot(), removedAt: world.clock.now() });

    await world.ringReturn();

    expect(world.messages()[0]?.data).toMatchObject({ return_group: { id: 1 }, return: null, sequence: 3 });
    expect(world.messages()[0]?.data.changes.at(-1)?.type).toBe('return_group.removed');
  });

  it('has nothing of a forgotten return, not even earlier changes', async () => {
    const world = returnWorld();
    world.change(2);
    const { snapshot, events } = forgetGroup(world.returnSnapshot(), KEY, world.clock.now(), true);
    world.replace(snapshot, events[0]);

    await world.ringReturn();

    const [message] = world.messages();
    expect(message?.data).toMatchObject({ return: null, sequence: 3 });
    expect(message?.data.changes.map(({ type }) => type)).toEqual(['return_group.forgotten']);
    expect(world.accepted[0]?.body).not.toContain('DELIVERED');
  });

  it('reads the return after the pause of a maximum rate', async () => {
    const world = returnWorld();
    world.change();
    let waits = 0;
    const untilNextPost = async () => {
      waits += 1;
      if (waits === 1) world.change();
    };

    await world.ringReturn({ untilNextPost });

    expect(world.messages().map(({ data }) => data.sequence)).toEqual([2]);
  });

  it('is rung for by the sweep although events are lost or have all expired, and none counts as skipped', async () => {
    const world = returnWorld();
    world.change(5);
    world.lose(2, 3);
    await world.marks.advance(WEBHOOK, KEY, 1);
    const rung: number[] = [];
    const sweep = () =>
      world.clock.run(
        sweepWebhook(
          {
            ...world.ports,
            ...world.whole,
            behind: world.marks.listBehind,
            ring: async (_, sequence) => void rung.push(sequence),
          },
          15 * 60_000,
        ),
      );

    await world.clock.advance(24 * DAY);
    const report = await sweep();
    const noteBefore = world.marks.behind(WEBHOOK, KEY);
    await world.clock.advance(2 * DAY);
    await sweep();
    world.lose(1, 4, 5);
    await sweep();

    expect(rung).toEqual([2, 2, 2]);
    expect(report).toMatchObject({ done: 1, skipped: 0, waiting: 0 });
    expect(noteBefore).toBeUndefined();
    expect(world.marks.behind(WEBHOOK, KEY)).toBe('2: it has waited for weeks');
    expect(await world.mark()).toBe(1);
  });

  it('keeps the reason of its failure when the sweep rings for it', async () => {
    const world = returnWorld();
    world.change();
    world.answers(() => ({ status: 500 }));
    await world.ringReturn();
    await world.clock.advance(26 * DAY);

    await world.clock.run(
      createRingUnsent({ ...world.ports, ...world.whole, ring: async () => {} })([KEY], 60_000),
    );

    expect(world.marks.behind(WEBHOOK, KEY)).toBe('1: answered 500');
  });
});

function withPrevious(sequence: number, carrier: string): FeedEvent {
  const event = anEvent(KEY, sequence) as FeedEvent & { data: { previous_attributes: object } };
  return { ...event, data: { ...event.data, previous_attributes: { carrier } } } as FeedEvent;
}
