// When each event is published, in a sentence: for the catalogue and the console.
import type { EventType } from './event.ts';

export const PUBLISHED_WHEN: Readonly<Record<EventType, string>> = {
  'return_line_item.created': 'An item came to be returned, or was seen for the first time.',
  'return_line_item.status_changed': 'Its status changed, and whatever else changed with it.',
  'return_line_item.updated': 'Another watched field changed.',
  'return_line_item.removed': 'It is no longer in its return. `object` is what was last known.',
  'shipment.created':
    'A shipment was added, or seen for the first time; it may be on its way or delivered already.',
  'shipment.status_changed': 'Its status changed, and whatever else changed with it.',
  'shipment.updated': 'Another watched field changed: a new label, other items in it.',
  'shipment.removed': 'It is no longer in its return.',
  'exchange_line_item.created': 'Something is to be sent in exchange, or was seen for the first time.',
  'exchange_line_item.status_changed': 'Its status changed, and whatever else changed with it.',
  'exchange_line_item.updated': 'Another watched field changed: another variant, another quantity.',
  'exchange_line_item.removed': 'It is no longer in its return.',
  'refund_transaction.created': 'Money was paid back. Told once for each transaction, and never changed.',
  'return_group.created':
    'A return came to be, or was seen for the first time. Its parts have events of their own.',
  'return_group.updated': 'A watched field of the return itself changed.',
  'return_group.removed': 'The service no longer has the return; its parts are gone with it, without events.',
  'feed.source_degraded': 'The source is not being read completely, and why.',
  'feed.source_recovered': 'It is read completely again.',
  'feed.baseline_completed':
    'Every return of the source was read once; from here on nothing is new by being old.',
  'feed.drift_detected': 'The service sends values or fields that its document does not list.',
  'feed.source_read':
    'Once a minute: up to where everything is read and in the ledger. A newer one makes it stale.',
  'feed.events_skipped': 'Numbers of a return that a destination will never get, and why.',
};
