import type { Fields } from './history.ts';

/**
 * Returns whether an event's value agrees with the service's. An event may have fewer fields of an object, null for an
 * absent value, and an instant in another notation. Lists of ids are unordered.
 */
export function agrees(published: unknown, real: unknown, name: string, unreadableMoney = false): boolean {
  if (published === undefined || published === null) {
    return real === undefined || real === null || (unreadableMoney && isMoney(name));
  }
  if (real === undefined || real === null) return false;
  if (name.endsWith('_at')) return instant(String(published)) === instant(String(real));
  if (Array.isArray(published)) {
    return Array.isArray(real) && JSON.stringify([...published].sort()) === JSON.stringify([...real].sort());
  }
  if (typeof published !== 'object') return published === real;
  return (
    typeof real === 'object' &&
    Object.entries(published).every(([key, value]) =>
      agrees(value, (real as Fields)[key], key, unreadableMoney),
    )
  );
}

export function agreeOn(names: readonly string[], published: Fields, real: Fields): boolean {
  return names.every((name) => agrees(published[name], real[name], name));
}

const MONEY = ['total', 'amount', 'shop_money', 'presentment_money', 'currency_code'];

function isMoney(name: string): boolean {
  return MONEY.includes(name);
}

/** Milliseconds since 1970. A text without a zone is UTC, as docs/limits.md says. */
function instant(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}
