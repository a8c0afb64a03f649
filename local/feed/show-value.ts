// One field of an entity, for people.
import { MILLISECOND, parseStamp } from '../../shared/instant.ts';
import type { Moments } from '../cli/moments.ts';

/** A field's value in words, a time in the form of all printed times; `–` for none. Not escaped. */
export function showValue(value: unknown, moments: Moments): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(' ');
  if (typeof value === 'object') return showMoney(value as Readonly<Record<string, unknown>>);
  return typeof value === 'string' ? showStamp(value, moments) : String(value);
}

/** A timestamp in the form of all printed times, without the date if it is today; any other text unchanged. */
function showStamp(text: string, moments: Moments): string {
  const stamp = parseStamp(text);
  if (stamp === undefined) return text;
  // A timestamp without a zone can't be converted: it stays as the service writes it, to the second.
  return stamp.zoned ? moments.short(stamp.instant / MILLISECOND) : text.slice(0, 19);
}

function showMoney({ shop_money, presentment_money }: Readonly<Record<string, unknown>>): string {
  const money = (shop_money ?? presentment_money) as { amount: number; currency_code: string } | null;
  return money === null ? '–' : `${money.amount} ${money.currency_code}`;
}
