import { describe, expect, it } from 'vitest';
import { type ChangePattern, changePattern } from '../../../shared/contract/event-pattern.ts';
import { compileEventPattern } from '../../engines/event-pattern.ts';
import { recordedLines } from './committed-contracts.ts';

/** The recorded events as they are on the bus. */
const ON_BUS = recordedLines()
  .map((line) => JSON.parse(line))
  .map((event) => ({ source: 'returns-change-feed.acme', 'detail-type': event.type, detail: event }));

/** The pattern in the form of AWS. */
const compile = ({ detailType, ...others }: ChangePattern) =>
  compileEventPattern({ ...others, 'detail-type': detailType });

function matched(pattern: ChangePattern): string[] {
  return ON_BUS.filter(compile(pattern)).map(
    (event) => `${event['detail-type']} ${event.detail.data.object.status}`,
  );
}

describe('a pattern for an entity that reaches a status', () => {
  it('matches no event that a replay sends again, unless asked to', () => {
    const [event] = ON_BUS.filter(compile(changePattern({ entity: 'shipment', to: 'DELIVERED' })));
    const again = { ...event, detail: { ...event?.detail, replayid: 'r-1' } };

    const ignoring = compile(changePattern({ entity: 'shipment', to: 'DELIVERED' }));
    const taking = compile(changePattern({ entity: 'shipment', to: 'DELIVERED', replays: true }));

    expect([event, again].map((it) => ignoring(it as object))).toEqual([true, false]);
    expect([event, again].map((it) => taking(it as object))).toEqual([true, true]);
  });

  it('matches a change to the status, and a creation with it', () => {
    const delivered = matched(changePattern({ entity: 'shipment', to: 'DELIVERED' }));
    const firstSeen = matched(changePattern({ entity: 'shipment', to: 'DRAFT' }));

    expect(delivered).toEqual(['shipment.status_changed DELIVERED']);
    expect(new Set(firstSeen)).toEqual(new Set(['shipment.created DRAFT']));
  });

  it('matches any of several statuses', () => {
    const statuses = matched(changePattern({ entity: 'return_line_item', to: ['OPEN', 'COMPLETED'] }));

    expect(new Set(statuses)).toEqual(
      new Set(['return_line_item.status_changed OPEN', 'return_line_item.status_changed COMPLETED']),
    );
  });

  it('matches a change from the status, and no creation', () => {
    const left = matched(
      changePattern({ entity: 'shipment', from: ['CREATED', 'IN_TRANSIT'], to: 'DELIVERED' }),
    );
    const never = matched(changePattern({ entity: 'shipment', from: 'FAILED' }));

    expect(left).toEqual(['shipment.status_changed DELIVERED']);
    expect(never).toEqual([]);
  });

  it('matches a change of a field, whatever the status', () => {
    const relabelled = changePattern({ entity: 'shipment', changed: ['tracking_number', 'return_ids'] });
    const outcomes = changePattern({ entity: 'return_group', changed: 'return_outcome' });

    expect(ON_BUS.filter(compile(relabelled)).map(({ detail }) => detail.type)).toEqual(
      ON_BUS.filter(
        ({ detail }) =>
          /^shipment/.test(detail.type) && /tracking_number|return_ids/.test(detail.data.changed),
      ).map(({ detail }) => detail.type),
    );
    expect(ON_BUS.filter(compile(outcomes))).not.toEqual([]);
  });

  it('needs a condition', () => {
    expect(() => changePattern({ entity: 'shipment' })).toThrow('to, from or changed');
  });

  it('matches only events of this feed, and of the named sources', () => {
    const pattern = changePattern({ entity: 'shipment', to: 'DELIVERED' });
    const matches = compile(pattern);
    const event = ON_BUS.find(matches);

    const ofOthers = matches({ ...event, source: 'returns-change-feeder' });

    expect(ofOthers).toBe(false);
    expect(matched(changePattern({ entity: 'shipment', to: 'DELIVERED', sources: ['acme'] }))).toHaveLength(
      1,
    );
    expect(matched(changePattern({ entity: 'shipment', to: 'DELIVERED', sources: ['acme2'] }))).toEqual([]);
  });
});
