// Options whose values are checked as they are read.
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addForwardOptions, type ForwardFlags, receiversOf } from '../../../local/cli/forward-flags.ts';
import { includeOption } from '../../../local/cli/source-flags.ts';

function parsed(...args: string[]): ForwardFlags & { readonly include?: readonly string[] } {
  const command = addForwardOptions(new Command().addOption(includeOption()).exitOverride());
  command.configureOutput({ writeErr: () => {} });
  return command.parse(args, { from: 'user' }).opts();
}

const FORWARD = ['--forward-to', 'http://127.0.0.1:3000/hook'];

test('--include names fields, separated by commas', () => {
  expect(parsed('--include', 'order_tags, suggested_refund').include).toEqual([
    'order_tags',
    'suggested_refund',
  ]);
});

test('--include refuses what events can not include, and suggests what they can', () => {
  expect(() => parsed('--include', 'order_tag')).toThrow(/can't include "order_tag".*order_tags/s);
});

test('--forward-filter is a filter of webhooks, besides the types', () => {
  const filter = '{"changed":["tracking_number"],"sources":["acme"]}';
  const flags = parsed(...FORWARD, '--forward-only', 'shipment.updated', '--forward-filter', filter);

  expect(receiversOf(flags)[0]?.filter).toEqual({
    ...{ types: ['shipment.updated'], changed: ['tracking_number'], sources: ['acme'] },
  });
});

test.each([
  ['{"changed":["weight"]}', 'filter.changed.0'],
  ['{"types":["shipment.created"],"from":["DRAFT"]}', 'lets nothing pass'],
])('--forward-filter %s is refused', (filter, problem) => {
  expect(() => receiversOf(parsed(...FORWARD, '--forward-filter', filter))).toThrow(problem);
});

test.each(['{', '7', '["DELIVERED"]'])('--forward-filter %s is no filter', (text) => {
  expect(() => parsed(...FORWARD, '--forward-filter', text)).toThrow();
});

test('--forward-content-type is a media type of webhooks', () => {
  const flags = parsed(...FORWARD, '--forward-content-type', 'application/json');

  expect(receiversOf(flags)[0]?.contentType).toBe('application/json');
  expect(() => parsed(...FORWARD, '--forward-content-type', 'text/json')).toThrow('cloudevents+json');
});

test('--forward-shape is an event or a return', () => {
  const flags = parsed(...FORWARD, '--forward-shape', 'return');

  expect(receiversOf(flags)[0]?.shape).toBe('return');
  expect(() => parsed(...FORWARD, '--forward-shape', 'parcel')).toThrow('event, return');
});

test('a filter by tracking number needs whole returns', () => {
  const given = [...FORWARD, '--forward-filter', '{"hasTracking":true}'];

  expect(() => receiversOf(parsed(...given))).toThrow('--forward-filter: filter.hasTracking: is only for');
  expect(receiversOf(parsed(...given, '--forward-shape', 'return'))[0]?.filter).toEqual({
    hasTracking: true,
  });
});

test.each([
  ['--forward-filter', '{}'],
  ['--forward-content-type', 'application/json'],
  ['--forward-shape', 'return'],
])('%s needs --forward-to', (...args) => {
  expect(() => receiversOf(parsed(...args))).toThrow('need --forward-to');
});
