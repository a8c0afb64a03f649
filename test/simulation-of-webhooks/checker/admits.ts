// Whether a webhook gets an event, by the contract's rules for filters.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { EventFilter } from '../../../shared/contract/event-filter.ts';

const HAVE_STATUS = ['return_line_item', 'shipment', 'exchange_line_item'];

export function admits({ sources, entities, types, to }: EventFilter, event: FeedEvent): boolean {
  const [entity = '', change = ''] = event.type.split('.');
  if (entity === 'feed') return false;
  const among = (values: readonly string[] | undefined, value: string) =>
    values === undefined || values.includes(value);
  const { status } = event.data.object as { readonly status?: unknown };
  const isReached =
    HAVE_STATUS.includes(entity) &&
    (change === 'created' || change === 'status_changed') &&
    typeof status === 'string';
  return (
    among(sources, event.source.replace('/sources/', '')) &&
    among(entities, entity) &&
    among(types, event.type) &&
    (to === undefined || (isReached && among(to, status)))
  );
}
