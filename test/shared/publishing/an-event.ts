// An event like those of the feed, with a given group and sequence number.
import type { EventOf, FeedEvent } from '../../../shared/contract/event.ts';
import { formatEventId } from '../../../shared/contract/event-id.ts';
import type { GroupKey } from '../../../shared/ports.ts';

export function aKey(group: GroupKey['group'], source = 'acme'): GroupKey {
  return { source, generation: 'mi8x2k', group };
}

export function anEvent(key: GroupKey, sequence: number, trackingNumber = `1Z${sequence}`): FeedEvent {
  const event: EventOf<'shipment.status_changed'> = {
    specversion: '1.0',
    id: formatEventId({ ...key, sequence }),
    source: `/sources/${key.source}`,
    type: 'shipment.status_changed',
    subject: `return-groups/${key.group}/shipments/77120`,
    time: '2026-11-20T10:15:02.123456Z',
    datacontenttype: 'application/json',
    dataschema: 'urn:returns-change-feed:shipment:1',
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: `${key.source}/${key.group}`,
    data: {
      generation: key.generation,
      sequence,
      return_group: {
        id: typeof key.group === 'number' ? key.group : 0,
        created_at: '2026-11-19T08:00:00.000000Z',
        updated_at: '2026-11-20T10:15:02.123456Z',
        return_outcome: null,
        return_method: 'TRADITIONAL',
        order: { id: 9001, name: '#1042', platform_id: '5001' },
      },
      object: {
        type: 'shipment',
        id: 77_120,
        status: 'DELIVERED',
        carrier: 'UPS',
        tracking_number: trackingNumber,
        created_at: '2026-11-19T08:00:00.000000Z',
        shipped_at: null,
        delivered_at: null,
        return_ids: [5512],
      },
      items: [],
      items_total: 0,
      changed: ['status'],
      previous_attributes: { status: 'IN_TRANSIT' },
      observed: { after: '2026-11-20T10:14:58Z', by: '2026-11-20T10:15:03Z', through: 'poll' },
    },
  };
  return event;
}
