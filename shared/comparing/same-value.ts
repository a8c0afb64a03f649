// Values that are the same in another spelling: a stamp with other digits, an id as a global id, an amount with the noise
// of floating point. The published spelling is kept, so a change of spelling is no event and the chain of events holds to
// the letter. So is the known value of what an answer says nothing of.
import type { Money, MoneyBag } from '../contract/entities.ts';
import { floorToDigits, parseStamp } from '../instant.ts';
import type { Shown } from './snapshot.ts';

/**
 * Returns an entity with the known value of each field of which `seen` says nothing (null or an empty list where none is
 * known), and the known spelling of each value that is only written differently.
 *
 * @param known an empty object at first sight
 */
export function asKnown<Entity extends object>(known: object, seen: Shown<Entity>): Entity {
  let spelled: object | undefined;
  for (const field in seen) {
    const value = spell(field, fieldOf(known, field), seen[field]);
    if (value !== seen[field]) spelled = { ...(spelled ?? seen), [field]: value };
  }
  return (spelled ?? seen) as Entity;
}

function spell(field: string, known: unknown, seen: unknown): unknown {
  if (seen === undefined) return known ?? (LISTS.has(field) ? [] : null);
  // `updated_at` causes no event, and is published as it is.
  if (known === seen || field === 'updated_at') return seen;
  if (isObject(seen)) {
    if (Array.isArray(seen))
      return Array.isArray(known) && field.includes('platform') ? spellIds(known, seen) : seen;
    if ('currency_code' in seen)
      return isObject(known) && isSameMoney(known as Money, seen as Money) ? known : seen;
    return asKnown(isObject(known) ? known : {}, seen);
  }
  if (field.endsWith('_at') && isSameInstant(known, seen)) return known;
  return field.includes('platform') && isSamePlatformId(known, seen) ? known : seen;
}

const LISTS: ReadonlySet<string> = new Set(['return_ids', 'platform_refund_transaction_ids']);

function spellIds(known: readonly unknown[], seen: readonly unknown[]): unknown[] {
  return seen.map((id) => known.find((one) => isSamePlatformId(one, id)) ?? id).sort();
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function fieldOf(entity: object, field: string): unknown {
  return (entity as Readonly<Record<string, unknown>>)[field];
}

/**
 * A stamp without a zone is read as UTC: whether the zone is named is a matter of spelling. So is the number of digits:
 * a service that begins to write milliseconds has shipped nothing anew.
 */
function isSameInstant(a: unknown, b: unknown): boolean {
  const [before, now] = [parseStamp(String(a)), parseStamp(String(b))];
  if (before === undefined || now === undefined) return false;
  if (before.instant === now.instant || before.precision === now.precision)
    return before.instant === now.instant;
  const digits = Math.min(before.precision, now.precision);
  return floorToDigits(before.instant, digits) === floorToDigits(now.instant, digits);
}

/** Platforms write an id as a number, or as a global id that ends with it: gid://shopify/OrderTransaction/123. */
const GLOBAL = /^gid:\/\/\S+\/(\d+)$/;

/** Whether two ids of a platform are equal, or one of them is the other as a global id. */
export function isSamePlatformId(a: unknown, b: unknown): boolean {
  return a === b || isNumberOf(a, b) || isNumberOf(b, a);
}

function isNumberOf(id: unknown, global: unknown): boolean {
  return typeof id === 'string' && GLOBAL.exec(String(global))?.[1] === id;
}

/** Whether two amounts are of one currency, and closer than a tenth of its smallest unit. */
export function isSameMoney(a: Money | null, b: Money | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.currency_code !== b.currency_code) return false;
  return Math.abs(a.amount - b.amount) < smallestUnit(a.currency_code) / 10;
}

/** Whether two amounts are the same, or both missing, in the shop's and in the customer's currency. */
export function isSameAmount(a: MoneyBag | null, b: MoneyBag | null): boolean {
  return (
    isSameMoney(a?.shop_money ?? null, b?.shop_money ?? null) &&
    isSameMoney(a?.presentment_money ?? null, b?.presentment_money ?? null)
  );
}

const units = new Map<string, number>();

/** A hundredth where the code is no currency. */
function smallestUnit(currency: string): number {
  const known = units.get(currency);
  if (known !== undefined) return known;
  const unit = 10 ** -fractionDigits(currency);
  // The service may send anything as a currency: the map stays small.
  if (units.size < 500) units.set(currency, unit);
  return unit;
}

function fractionDigits(currency: string): number {
  try {
    const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions();
    return maximumFractionDigits;
  } catch {
    return 2;
  }
}
