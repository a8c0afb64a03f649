// Values of the service and of events in one notation: what the service's document says is equal becomes equal.
type Fields = Readonly<Record<string, unknown>>;

/** An empty id identifies nothing. */
export function plainId(value: unknown): unknown {
  return value || null;
}

/** An empty object counts as absent. */
export function plainBag(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  const { shop_money, presentment_money } = value as Fields;
  const bag = [plainMoney(shop_money), plainMoney(presentment_money)];
  return bag.every((money) => money === null) ? null : bag;
}

/** By the service's document a missing amount is 0 and a missing currency is USD. Unreadable money is null. */
function plainMoney(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  const { amount, currency_code } = value as Fields;
  const isReadable =
    (amount == null || typeof amount === 'number') &&
    (currency_code == null || typeof currency_code === 'string');
  return isReadable ? [amount ?? 0, currency_code ?? 'USD'] : null;
}
