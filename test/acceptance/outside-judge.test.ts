import { describe, expect, it } from 'vitest';
import type { Rule } from './evidence.ts';
import { judge, mostInAMinute } from './outside-judge.ts';
import {
  changed,
  events,
  evidence,
  iso,
  type MutableEvent,
  money,
  print,
  removalOfTheItem,
  rename,
  renumbered,
  withoutRemoval,
  withPrevious,
  withStatus,
} from './true-stream.ts';

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
    ['a wrong previous_attributes', 'chain', changed(3, (event) => withPrevious(event, { status: 'DRAFT' }))],
    [
      'a previous_attributes that leaves out a field',
      'chain',
      changed(4, (event) => withPrevious(event, { status: 'IN_TRANSIT' })),
    ],
    ['a doubled id with other content', 'same-id', (events) => [...events, withStatus(events[3]!, 'FAILED')]],
    ['a changed without its field', 'valid', changed(4, ({ data }) => data.changed?.pop())],
    ['an item that was never like this', 'true', changed(3, ({ data }) => (data.items![0]!.quantity = 2))],
    ['a shipment without its item', 'true', changed(3, ({ data }) => data.items?.pop())],
    ['too small a number of items', 'true', changed(3, ({ data }) => (data.items_total = 0))],
    [
      'an item on a shipment that never was',
      'true',
      changed(1, ({ data }) => (data.shipment = { id: 99, status: 'DRAFT' })),
    ],
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
      data.changed = ['status'];
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
