import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import {
  checkFilter,
  type EventFilter,
  filterAttributes,
  filterPolicy,
  matchesFilter,
} from '../../../shared/contract/event-filter.ts';

const example = (type: string): FeedEvent =>
  JSON.parse(readFileSync(new URL(`../../../docs/events/examples/${type}.json`, import.meta.url), 'utf8'));

const withStatus = (event: FeedEvent, status: unknown): FeedEvent =>
  ({ ...event, data: { ...event.data, object: { ...event.data.object, status } } }) as FeedEvent;

const changed = example('shipment.status_changed');

describe('matchesFilter', () => {
  it.each<[string, EventFilter, boolean]>([
    ['no condition', {}, true],
    ['its source', { sources: ['other', changed.source.replace('/sources/', '')] }, true],
    ['another source', { sources: ['other'] }, false],
    ['its entity', { entities: ['shipment'] }, true],
    ['another entity', { entities: ['return_group'] }, false],
    ['its type', { types: ['shipment.created', 'shipment.status_changed'] }, true],
    ['another type', { types: ['shipment.created'] }, false],
    ['its entity and another type', { entities: ['shipment'], types: ['shipment.created'] }, false],
  ])('answers for a change of a shipment: %s', (_, filter, passes) => {
    expect(matchesFilter(filter, changed)).toBe(passes);
  });

  it.each([
    ['shipment.status_changed', 'DELIVERED', true],
    ['shipment.created', 'DELIVERED', true],
    ['shipment.updated', 'DELIVERED', false],
    ['shipment.removed', 'DELIVERED', false],
    ['shipment.status_changed', 'IN_TRANSIT', false],
    ['return_group.updated', 'DELIVERED', false],
  ])('for %s with status %s and a filter on DELIVERED is %s', (type, status, passes) => {
    expect(matchesFilter({ to: ['DELIVERED'] }, withStatus(example(type), status))).toBe(passes);
  });

  it.each<[EventFilter, boolean]>([
    [{}, false],
    [{ sources: ['acme'] }, false],
    [{ types: ['shipment.created'] }, false],
    [{ types: ['shipment.created', 'feed.source_read'] }, true],
    [{ sources: ['acme'], types: ['feed.source_read'] }, true],
    [{ sources: ['other'], types: ['feed.source_read'] }, false],
  ])('accepts feed.source_read only if the filter names it: %j', (filter, passes) => {
    const read = { ...example('feed.source_read'), source: '/sources/acme' };

    expect(matchesFilter(filter, read)).toBe(passes);
  });

  it('rejects all other events of the feed itself', () => {
    expect(matchesFilter({}, example('feed.source_degraded'))).toBe(false);
  });

  it.each(['', 'TELEPORTED', null, { a: 1 }])('gives the undocumented status %j no attribute', (status) => {
    expect(filterAttributes(withStatus(changed, status))).not.toHaveProperty('to');
  });
});

describe('filterPolicy', () => {
  it('has a key for each condition', () => {
    const filter = { sources: ['acme'], entities: ['shipment'], to: ['DELIVERED'] } as const;
    const policy = { source: ['/sources/acme'], entity: ['shipment'], to: ['DELIVERED'] };
    expect(filterPolicy(filter)).toEqual(policy);
  });

  it.each([{}, { sources: ['acme'] }])('keeps the events of the feed itself from %j', (filter) => {
    expect(filterPolicy(filter)).toMatchObject({ entity: [{ 'anything-but': ['feed'] }] });
  });
});

describe('checkFilter', () => {
  it.each<[unknown, string]>([
    [{ to: ['SHIPPED'] }, 'filter.to.0'],
    [{ types: ['feed.drift_detected'] }, 'filter.types.0'],
    [{ types: ['feed.source_read'], entities: ['shipment'] }, 'names feed.source_read and excludes it'],
    [{ types: ['feed.source_read'], to: ['DELIVERED'] }, 'names feed.source_read and excludes it'],
    [{ sources: ['Acme Shop'] }, 'filter.sources.0: must be the name of a source'],
    [{ entities: [] }, 'filter.entities: must name at least one value'],
    [{ status: ['DELIVERED'] }, 'status'],
    [{ entities: ['return_group'], to: ['DELIVERED'] }, 'lets nothing pass'],
    [
      { sources: Array.from({ length: 76 }, (_, n) => `s${n}`), to: ['DELIVERED', 'FAILED'] },
      '152 combinations',
    ],
  ])('rejects %j', (filter, problem) => {
    expect(() => checkFilter(filter)).toThrow(problem);
  });
});
