import { describe, expect, it } from 'vitest';
import type { Evidence, Rule } from './evidence.ts';
import type { EntityHistory, EntityState, Fields, PrintedEvent } from './history.ts';
import { judge, mostInAMinute } from './outside-judge.ts';

/** The judge must find every kind of false stream, and nothing in a true one. */
describe('the outside judge', () => {
  it('accepts a stream that is true, in order and complete', () => {
    expect(judge(evidence()).problems).toEqual([]);
  });

  it('accepts a repeat with the same content', () => {
    const { printed } = evidence();

    const verdict = judge(evidence({ printed: [...printed, printed[2]!] }));

    expect(verdict).toMatchObject({ problems: [], events: 6, repeats: 1 });
  });

  it.each<[string, Rule, (events: MutableEvent[]) => MutableEvent[]]>([
    ['a lost event at the end of a group', 'complete', (events) => events.slice(0, -1)],
    ['a lost event in the middle', 'numbers', (events) => events.toSpliced(2, 1)],
    [
      'an entity that was never published',
      'complete',
      (events) => renumbered(events.filter(({ type }) => !type.startsWith('return_line_item'))),
    ],
    [
      'a wrong previous_attributes',
      'chain',
      changed(3, ({ data }) => (data.previous_attributes = { status: 'DRAFT' })),
    ],
    [
      'a previous_attributes that leaves out a field',
      'chain',
      changed(4, ({ data }) => (data.previous_attributes = { status: 'IN_TRANSIT' })),
    ],
    ['a doubled id with other content', 'same-id', (events) => [...events, withStatus(events[3]!, 'FAILED')]],
    ['an invented state', 'true', changed(3, (event) => (event.data.object.status = 'FAILED'))],
    ['a created event of an entity that never existed', 'true', changed(2, (event) => rename(event, 8))],
    ['a wrong amount', 'true', changed(1, ({ data }) => (data.object.total = money(0)))],
    ['a wrong time of creation', 'true', changed(1, ({ data }) => (data.object.created_at = iso(5_000)))],
    [
      'a stamp that the group never had',
      'true',
      changed(3, ({ data }) => (data.return_group.updated_at = iso(7))),
    ],
    [
      'a time that is neither stamped nor observed',
      'true',
      changed(3, (event) => (event.time = iso(900_000))),
    ],
    ['a removal that is published too early', 'removal', changed(5, () => undefined, 81_000)],
    ['a removal of an existing entity', 'removal', (events) => [...events, removalOfTheItem(events)]],
    [
      'numbers in the wrong order',
      'numbers',
      (events) => [...events.slice(0, 3), events[4]!, events[3]!, events[5]!],
    ],
    [
      'a state published after a later one',
      'true',
      (events) => [...events.slice(0, 3), events[4]!, events[3]!, events[5]!],
    ],
    [
      'an observed window that ends before the change',
      'observed',
      changed(3, ({ data }) => (data.observed = { ...data.observed, after: iso(30_000), by: iso(35_000) })),
    ],
    [
      'an observed window that begins after the change',
      'observed',
      changed(3, ({ data }) => (data.observed = { ...data.observed, after: iso(45_000) })),
    ],
    [
      'a known entity without a reading before',
      'valid',
      changed(3, ({ data }) => (data.observed.after = null)),
    ],
    [
      'a wrong value in a field of the envelope',
      'valid',
      changed(3, (event) => (event.partitionkey = 'other')),
    ],
  ])('finds %s', (_, rule, mutate) => {
    const mutated = mutate(events());

    const { problems } = judge(evidence({ printed: mutated.map(print) }));

    expect(problems.map((problem) => problem.rule)).toContain(rule);
  });

  it('finds a line that is not an event', () => {
    const printed = [...evidence().printed, { arrivedAt: 90_000, line: 'Reading the baseline …' }];

    const { problems } = judge(evidence({ printed }));

    expect(problems.map(({ rule }) => rule)).toEqual(['valid']);
  });

  it('finds more requests within any 60 seconds than the budget', () => {
    const requestedAt = [0, 30_000, 59_999, 60_000, 60_001];

    const { problems } = judge(evidence({ requestedAt, budget: 3 }));

    expect(mostInAMinute(requestedAt)).toBe(4);
    expect(problems.map(({ rule }) => rule)).toEqual(['budget']);
  });

  it('treats entities at a silent start as known', () => {
    const histories = evidence().histories.map(withoutRemoval);

    const { problems } = judge(evidence({ printed: [], histories, silentUntil: 10_000 }));

    expect(problems).toMatchObject([{ rule: 'complete', text: expect.stringContaining('shipments/77') }]);
  });

  it('finds a created event of an unchanged group from before a silent start', () => {
    const histories = evidence().histories.slice(0, 2);
    const printed = events().slice(0, 2).map(print);

    const later = { ...histories[0]!, subject: 'return-groups/8', groupId: 8 };
    const stampsOf = (newest: number) => (groupId: number) => [iso(groupId === 8 ? newest : 1_000)];
    const rules = (newest: number) =>
      judge(
        evidence({
          printed,
          histories: [...histories, later],
          stampsOf: stampsOf(newest),
          silentUntil: 10_000,
        }),
      ).problems.map(({ rule }) => rule);

    expect(rules(12_000)).toEqual(['true', 'true']);
    expect(rules(11_000)).toEqual([]);
  });

  it('accepts unpublished changes of a field only while the field is new', () => {
    const unpublished = changed(4, ({ data }) => {
      data.object.delivered_at = null;
      delete data.previous_attributes?.delivered_at;
    })(events()).map(print);
    const printed = unpublished.slice(0, 5);
    const histories = evidence().histories.map(withoutRemoval);
    const rules = (until: number) =>
      judge(
        evidence({ printed, histories, firstShown: [{ field: 'delivered_at', from: 50_000, until }] }),
      ).problems.filter(({ rule }) => rule === 'complete');

    expect(rules(65_000)).toEqual([]);
    expect(rules(55_000)).toHaveLength(1);
  });
});

interface MutableEvent {
  arrivedAt: number;
  id: string;
  type: string;
  subject: string;
  time: string;
  sequence: string;
  partitionkey: string;
  data: {
    sequence: number;
    return_group: Record<string, unknown>;
    object: Record<string, unknown>;
    previous_attributes?: Record<string, unknown>;
    observed: { after: string | null; by: string; through: string };
  };
}

const GROUP = {
  type: 'return_group',
  id: 7,
  created_at: iso(1_000),
  return_outcome: null,
  credit_method: null,
  return_method: 'SELF_SHIP',
};
const ITEM = {
  type: 'return_line_item',
  id: 71,
  created_at: iso(1_000),
  status: 'OPEN',
  quantity: 1,
  shipment_id: 77,
  platform_refund_transaction_ids: [],
  last_rma_number: null,
  last_rma_provider: null,
  total: money(12.5),
};
const PARCEL = {
  type: 'shipment',
  id: 77,
  created_at: iso(20_000),
  status: 'CREATED',
  carrier: 'UPS',
  tracking_number: 'T1',
  shipped_at: null,
  delivered_at: null,
  return_ids: [71],
};
const ON_ITS_WAY = { ...PARCEL, status: 'IN_TRANSIT', shipped_at: iso(40_000) };
const DELIVERED = { ...ON_ITS_WAY, status: 'DELIVERED', delivered_at: iso(60_000) };

/** A group and its item exist from the start; its parcel is created, travels, arrives and is removed. */
function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    histories: [
      history('return-groups/7', 'return_group', [[0, GROUP]]),
      history('return-groups/7/return-line-items/71', 'return_line_item', [[0, ITEM]]),
      history('return-groups/7/shipments/77', 'shipment', [
        [20_000, PARCEL],
        [40_000, ON_ITS_WAY],
        [60_000, DELIVERED],
        [80_000, undefined],
      ]),
    ],
    stampsOf: () => [iso(1_000), iso(20_000), iso(40_000), iso(60_000)],
    printed: events().map(print),
    requestedAt: [],
    budget: 240,
    settleMs: 3_000,
    lookbackMs: 10_000,
    silentUntil: undefined,
    ...changes,
  };
}

function events(): MutableEvent[] {
  const shipment = 'return-groups/7/shipments/77';
  return [
    event(1, 'return_group.created', 'return-groups/7', GROUP, 1_000, [null, 5_000]),
    event(2, 'return_line_item.created', 'return-groups/7/return-line-items/71', ITEM, 1_000, [null, 5_000]),
    event(3, 'shipment.created', shipment, PARCEL, 20_000, [19_000, 21_500]),
    event(4, 'shipment.status_changed', shipment, ON_ITS_WAY, 40_000, [39_000, 41_500], {
      status: 'CREATED',
      shipped_at: null,
    }),
    event(5, 'shipment.status_changed', shipment, DELIVERED, 60_000, [59_000, 61_500], {
      status: 'IN_TRANSIT',
      delivered_at: null,
    }),
    event(6, 'shipment.removed', shipment, DELIVERED, 85_000, [79_000, 85_000]),
  ];
}

function event(
  sequence: number,
  type: string,
  subject: string,
  object: Fields,
  time: number,
  [after, by]: [number | null, number],
  previous?: Record<string, unknown>,
): MutableEvent {
  return {
    arrivedAt: by + 200,
    id: `acceptance_g1_7_${sequence}`,
    type,
    subject,
    time: iso(time),
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: 'acceptance/7',
    data: {
      sequence,
      return_group: { id: 7, updated_at: iso(Math.min(time, 60_000)) },
      object: { ...object },
      ...(previous && { previous_attributes: previous }),
      observed: { after: after === null ? null : iso(after), by: iso(by), through: 'poll' },
    },
  };
}

function print({ arrivedAt, ...event }: MutableEvent): PrintedEvent {
  const kind = event.type.split('.')[0];
  const line = JSON.stringify({
    ...event,
    specversion: '1.0',
    source: '/sources/acceptance',
    datacontenttype: 'application/json',
    dataschema: `urn:returns-change-feed:${kind}:1`,
    data: { generation: 'g1', ...event.data },
  });
  return { arrivedAt, line };
}

function changed(index: number, change: (event: MutableEvent) => unknown, arrivedAt?: number) {
  return (events: MutableEvent[]) => {
    const event = events[index]!;
    change(event);
    event.arrivedAt = arrivedAt ?? event.arrivedAt;
    return events;
  };
}

function renumbered(events: MutableEvent[]): MutableEvent[] {
  return events.map((event, index) => {
    const sequence = index + 1;
    const id = `acceptance_g1_7_${sequence}`;
    return { ...event, id, sequence: String(sequence).padStart(10, '0'), data: { ...event.data, sequence } };
  });
}

function withStatus(event: MutableEvent, status: string): MutableEvent {
  return { ...event, data: { ...event.data, object: { ...event.data.object, status } } };
}

function rename(event: MutableEvent, id: number): void {
  event.data.object.id = id;
  event.subject = `return-groups/7/shipments/${id}`;
}

function removalOfTheItem(events: readonly MutableEvent[]): MutableEvent {
  const { subject, data } = events[1]!;
  return event(7, 'return_line_item.removed', subject, data.object, 90_000, [80_000, 90_000]);
}

function history(
  subject: string,
  kind: EntityHistory['kind'],
  states: [number, Fields | undefined][],
): EntityHistory {
  const shown = states.map<EntityState>(([shownFrom, fields]) => ({
    shownFrom,
    changedAt: shownFrom,
    shownByAll: shownFrom,
    fields,
  }));
  return { subject, kind, groupId: 7, states: shown };
}

function withoutRemoval(history: EntityHistory): EntityHistory {
  return { ...history, states: history.states.filter(({ fields }) => fields) };
}

function money(amount: number): Fields {
  return { shop_money: { amount, currency_code: 'EUR' } };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
