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
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';

const example = (type: string): FeedEvent =>
  JSON.parse(readFileSync(new URL(`../../../docs/events/examples/${type}.json`, import.meta.url), 'utf8'));

const withStatus = (event: FeedEvent, status: unknown): FeedEvent =>
  ({ ...event, data: { ...event.data, object: { ...event.data.object, status } } }) as FeedEvent;

const changed = example('shipment.status_changed');
const FIELDS = [...new Set(Object.values(WATCHED_FIELDS).flat())].slice(0, 15);

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

  it.each<[string, EventFilter, boolean]>([
    ['the status that it leaves', { from: ['IN_TRANSIT', 'CREATED'] }, true],
    ['another status', { from: ['CREATED'] }, false],
    [
      'the status that it leaves, and another that it reaches',
      { from: ['IN_TRANSIT'], to: ['FAILED'] },
      false,
    ],
    ['a field that changed', { changed: ['tracking_number', 'delivered_at'] }, true],
    ['a field that did not change', { changed: ['tracking_number'] }, false],
    [
      'a field that changed, of another entity',
      { changed: ['status'], entities: ['return_line_item'] },
      false,
    ],
    ['both', { changed: ['status'], from: ['IN_TRANSIT'] }, true],
  ])('answers for a shipment that was delivered: %s', (_, filter, passes) => {
    expect(changed.data).toMatchObject({ previous_attributes: { status: 'IN_TRANSIT' } });

    expect(matchesFilter(filter, changed)).toBe(passes);
  });

  it.each(['shipment.created', 'shipment.removed', 'refund_transaction.created', 'return_group.forgotten'])(
    'rejects %s with a condition on what changed',
    (type) => {
      expect(matchesFilter({ changed: ['status', 'carrier'] }, example(type))).toBe(false);
    },
  );

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
    const before = { ...changed, data: { ...changed.data, previous_attributes: { status } } } as FeedEvent;
    expect(filterAttributes(before)).not.toHaveProperty('from');
  });

  it.each([[[]], [['weight', '', 7, null]], ['status'], [undefined]])(
    'gives %j as changed fields no attribute',
    (fields) => {
      const odd = { ...changed, data: { ...changed.data, changed: fields } } as FeedEvent;

      expect(filterAttributes(odd)).not.toHaveProperty('changed');
    },
  );
});

describe('filterPolicy', () => {
  it('has a key for each condition', () => {
    const filter = { sources: ['acme'], entities: ['shipment'], to: ['DELIVERED'] } as const;
    const policy = { source: ['/sources/acme'], entity: ['shipment'], to: ['DELIVERED'] };
    expect(filterPolicy(filter)).toEqual(policy);
  });

  it('has five keys at most, as many as SNS takes: types and entities together are types', () => {
    const filter: EventFilter = {
      ...{ sources: ['acme'], entities: ['shipment'], to: ['DELIVERED'], from: ['IN_TRANSIT'] },
      ...{ types: ['shipment.status_changed', 'return_line_item.status_changed'], changed: ['status'] },
    };

    expect(filterPolicy(filter)).toEqual({
      ...{ source: ['/sources/acme'], type: ['shipment.status_changed'], to: ['DELIVERED'] },
      ...{ from: ['IN_TRANSIT'], changed: ['status'] },
    });
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
    [{ changed: ['weight'] }, 'filter.changed.0'],
    [{ changed: [] }, 'filter.changed: must name at least one value'],
    [{ from: ['SHIPPED'] }, 'filter.from.0'],
    [{ types: ['feed.source_read'], changed: ['status'] }, 'names feed.source_read and excludes it'],
    [{ types: ['shipment.created'], changed: ['status'] }, 'lets nothing pass'],
    [{ types: ['shipment.updated'], changed: ['status'] }, 'lets nothing pass'],
    [{ types: ['shipment.updated'], from: ['CREATED'] }, 'lets nothing pass'],
    [{ entities: ['return_group'], changed: ['carrier'] }, 'lets nothing pass'],
    [
      {
        from: ['DRAFT', 'CREATED'],
        changed: FIELDS,
        to: ['DELIVERED', 'FAILED', 'OPEN'],
        sources: ['a', 'b'],
      },
      '180 combinations',
    ],
    [
      { sources: Array.from({ length: 76 }, (_, n) => `s${n}`), to: ['DELIVERED', 'FAILED'] },
      '152 combinations',
    ],
    [{ hasTracking: false }, 'filter.hasTracking'],
    [{ hasTracking: true }, 'filter.hasTracking: is only for webhooks and readers with the shape "return"'],
  ])('rejects %j', (filter, problem) => {
    expect(() => checkFilter(filter)).toThrow(problem);
  });

  it('takes a condition on whole returns for these, of which the topic knows nothing', () => {
    const filter = checkFilter({ entities: ['shipment'], hasTracking: true }, 'return');

    expect(filter).toEqual({ entities: ['shipment'], hasTracking: true });
    expect(filterPolicy(filter)).toEqual({ entity: ['shipment'] });
  });
});
