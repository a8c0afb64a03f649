import type { Fields } from './history.ts';

/**
 * Whether a value of an event says the same as the service's. An event may carry fewer fields of an object, a null for
 * what is absent, and an instant in other words; lists of ids have no order.
 */
export function agrees(told: unknown, real: unknown, name: string, unreadableMoney = false): boolean {
  if (told === undefined || told === null) {
    return real === undefined || real === null || (unreadableMoney && isMoney(name));
  }
  if (real === undefined || real === null) return false;
  if (name.endsWith('_at')) return instant(String(told)) === instant(String(real));
  if (Array.isArray(told)) {
    return Array.isArray(real) && JSON.stringify([...told].sort()) === JSON.stringify([...real].sort());
  }
  if (typeof told !== 'object') return told === real;
  return (
    typeof real === 'object' &&
    Object.entries(told).every(([key, value]) => agrees(value, (real as Fields)[key], key, unreadableMoney))
  );
}

export function agreeOn(names: readonly string[], told: Fields, real: Fields): boolean {
  return names.every((name) => agrees(told[name], real[name], name));
}

const MONEY = ['total', 'amount', 'shop_money', 'presentment_money', 'currency_code'];

function isMoney(name: string): boolean {
  return MONEY.includes(name);
}

/** In milliseconds. A text without a zone counts as UTC, as the README says. */
function instant(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}
