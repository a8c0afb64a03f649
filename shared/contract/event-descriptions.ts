// When each event is published, in a sentence: for the catalogue and the console.
import type { MessageType } from './return-message.ts';

export const PUBLISHED_WHEN: Readonly<Record<MessageType, string>> = {
  'return_line_item.created': 'An item was added to a return, or was seen for the first time.',
  'return_line_item.status_changed': 'Its status changed; other fields may have changed with it.',
  'return_line_item.updated': 'Another watched field changed.',
  'return_line_item.removed': 'It is no longer in its return. `object` is the last known state.',
  'shipment.created':
    'A shipment was added, or seen for the first time; it may be on its way or delivered already.',
  'shipment.status_changed': 'Its status changed; other fields may have changed with it.',
  'shipment.updated': 'Another watched field changed: a new label, other items in it.',
  'shipment.removed': 'It is no longer in its return.',
  'exchange_line_item.created': 'An exchange item was added, or was seen for the first time.',
  'exchange_line_item.status_changed': 'Its status changed; other fields may have changed with it.',
  'exchange_line_item.updated': 'Another watched field changed: another variant, another quantity.',
  'exchange_line_item.removed': 'It is no longer in its return.',
  'refund_transaction.created':
    'Money was paid back. Published once for each transaction, which never changes.',
  'return_group.created':
    'A return was created, or was seen for the first time. Its parts have their own events.',
  'return_group.updated': 'A watched field of the return itself changed.',
  'return_group.removed': 'The service no longer has the return. Its parts get no events.',
  'return_group.forgotten':
    'An operator has erased the return here (`forget`), and subscribers should erase it too. Only its id is left.',
  'return.changed':
    'Only for webhooks and readers of the shape `return`: the whole return as it is now, and what has changed.',
  'feed.source_degraded': 'The source is not read completely, with the reasons.',
  'feed.source_recovered': 'It is read completely again.',
  'feed.baseline_completed':
    'Every return of the source was read once; later `created` events are of new entities.',
  'feed.drift_detected': 'The service sends values or fields that its document does not list.',
  'feed.source_read':
    'Once a minute: when the last complete poll and the last complete walks began. A newer report replaces it.',
  'feed.events_skipped': 'Numbers of events of a return that a destination will never get, with the reason.',
};
