// How a service that answers in another way shows its groups, for example after a faulty upgrade.
import type { StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import type { World } from './world.ts';

/** Returns the group as shown. */
export type Show = (group: StoredGroup) => StoredGroup;

/** Returns what the plan's mistake shows. */
export function shownOtherwise({ plan }: World): Show {
  switch (plan.mishap?.values) {
    case 'long':
      return withStatus(`${LONG}_AT_ONCE`);
    case 'of ids with blanks':
      return withExchangesInSmallLetters;
    case undefined:
      return inSmallLetters;
  }
}

/** Longer than a sample shows to an operator: what follows is cut off there. */
const LONG = 'WAITS_FOR_THE_PERSON_WHO_INSPECTS_ALL_GOODS_THAT_COME_BACK_TO_THE_WAREHOUSE';

/** A status that differs from the mistake's only in its last letters. */
export const TRUE_LONG_STATUS = `${LONG}_TOMORROW`;

/** Returns the group with the status of every returned item in lower case, like after an upgrade of the service. */
export function inSmallLetters(group: StoredGroup): StoredGroup {
  const returns = group.returns.map((item) => ({ ...item, status: item.status.toLowerCase() }));
  return { ...group, returns };
}

/** Returns the group with a prefix before the status of every returned item. */
export function withPrefix(group: StoredGroup): StoredGroup {
  const returns = group.returns.map((item) => ({ ...item, status: `ITEM_${item.status}` }));
  return { ...group, returns };
}

function withStatus(status: string): Show {
  return (group) => ({ ...group, returns: group.returns.map((item) => ({ ...item, status })) });
}

function withExchangesInSmallLetters(group: StoredGroup): StoredGroup {
  const exchanges = group.exchange_line_items.map((item) => ({ ...item, status: item.status.toLowerCase() }));
  return { ...group, exchange_line_items: exchanges };
}

/** Gives every group an exchanged item whose id has blanks, before the feed reads any. */
export function addIdsWithBlanks({ service }: World): void {
  const { touches } = service.control.knobs();
  service.control.setKnob('touches', []);
  for (const { id } of [...service.store.groups()]) {
    service.store.alter(id, (draft) => {
      const [returned] = draft.returns;
      if (returned === undefined) return;
      const exchange = { quantity: 1, status: 'UNPROCESSED', line_item_platform_id: null };
      draft.exchange_line_items = [{ ...exchange, id: `manual exchange ${id}`, product: returned.product }];
    });
  }
  service.control.setKnob('touches', touches);
}
