import { Command } from 'commander';
import { expect, test } from 'vitest';
import {
  addFilterOptions,
  type FilterFlags,
  selectionInWords,
  selects,
} from '../../../local/cli/filter-flags.ts';
import { CHANGE_TYPES } from '../../../shared/contract/event-filter.ts';
import { goldenEvent } from '../feed/golden-event.ts';

function parse(...args: readonly string[]): FilterFlags {
  const command = addFilterOptions(new Command(), 'print')
    .exitOverride()
    .configureOutput({ writeErr() {} });
  return command.parse(args, { from: 'user' }).opts();
}

const [delivered, created] = [
  goldenEvent('shipment.status_changed'),
  goldenEvent('exchange_line_item.created'),
];

test('types and groups may be repeated or separated by commas', () => {
  const flags = parse(
    '--type',
    'shipment.created, shipment.updated',
    '--type=shipment.removed',
    '--group',
    '0,2',
    '--group',
    '3',
  );

  expect(flags).toEqual({
    type: ['shipment.created', 'shipment.updated', 'shipment.removed'],
    group: [0, 2, 3],
  });
});

test('a wildcard stands for the kind or the change, and a type counts once', () => {
  const [kind, change, all] = [
    parse('--type', 'shipment.*,shipment.created'),
    parse('--type', '*.created'),
    parse('--type', '*'),
  ];

  expect(kind.type).toEqual(CHANGE_TYPES.filter((type) => type.startsWith('shipment.')));
  expect(change.type).toEqual(CHANGE_TYPES.filter((type) => type.endsWith('.created')));
  expect(all.type).toEqual(CHANGE_TYPES);
});

test('an event is selected if it has one of the types and belongs to one of the groups', () => {
  const group = String('return_group' in delivered.data && delivered.data.return_group.id);

  const passing = [
    parse(),
    parse('--type', 'shipment.*'),
    parse('--group', `${group},7`),
    parse('--type', 'shipment.*', '--group', group),
  ].map((flags) => [selects(flags, delivered), selects(flags, created)]);

  expect(passing[0]).toEqual([true, true]);
  expect(passing[1]).toEqual([true, false]);
  expect(passing.map(([first]) => first)).toEqual([true, true, true, true]);
  expect(selects(parse('--group', '7'), delivered)).toBe(false);
  expect(selects(parse('--type', '*.removed', '--group', group), delivered)).toBe(false);
});

test('an event of the feed itself belongs to no group', () => {
  const event = { type: 'feed.baseline_completed', data: { object: { type: 'baseline' } } } as never;

  expect(selects(parse('--group', '7'), event)).toBe(false);
  expect(selects(parse('--type', '*'), event)).toBe(false);
  expect(selects(parse(), event)).toBe(true);
});

test.each([
  ['--type', 'shipmnt.created', /"shipmnt.created"\. Did you mean "shipment.created"\?/],
  ['--type', 'shipment', /Did you mean "shipment\.\*"\?/],
  ['--type', 'feed.*', /No type of event is "feed\.\*"\. docs\/events\/catalogue\.md lists the types/],
  ['--type', 'shipment.created,', /No type of event is ""/],
  ['--type', 'shipment?created', /No type of event is "shipment\?created"/],
  ['--group', '#1299', /"#1299" is no id of a return group: give whole numbers/],
  ['--group', '', /"" is no id/],
])('a value that can select nothing is rejected: %s %s', (option, value, message) => {
  expect(() => parse(option, value)).toThrow(message);
});

test('a selection is described in words', () => {
  const words = [[], ['--type', 'shipment.created'], ['--type=shipment.created', '--group=1,2']].map((args) =>
    selectionInWords(parse(...args)),
  );

  expect(words).toEqual([undefined, 'shipment.created', 'shipment.created of return groups 1, 2']);
});
