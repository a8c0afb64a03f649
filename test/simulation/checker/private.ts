// G7: no stored, sent or logged text contains a customer's name, e-mail, phone, address or message, or a token.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { Evidence, Violation } from './evidence.ts';

export function checkPrivate({ secrets, personalNames, stored, logged, sources }: Evidence): Violation[] {
  const tainted = new Set(secrets);
  const violations: Violation[] = [];
  const violate = (place: string, text: string) =>
    violations.push({ guarantee: 'G7', place, message: `holds "${text}"` });

  for (const item of stored) forEachText(item, (text) => tainted.has(text) && violate('a stored item', text));
  for (const { written, customerData } of sources) {
    for (const { event } of written) {
      const { customer: _customer, ...data } = event.data as typeof event.data & {
        readonly customer?: unknown;
      };
      const open = customerData ? data : event.data;
      forEachText({ ...event, data: open }, (text) => tainted.has(text) && violate(event.id, text));
    }
  }
  // A log line may contain such a text within other text.
  for (const line of new Set(logged)) {
    for (const text of tainted) if (text.length > 5 && line.includes(text)) violate('the log', text);
  }
  if (personalNames.length === 0) return violations;
  // The name of a field may appear within other texts, and as a key.
  const texts = [
    ...stored.map((item) => ['a stored item', JSON.stringify(item)] as const),
    ...sources.flatMap(({ written }) =>
      written.map(({ event }) => [event.id, textWithoutCustomer(event)] as const),
    ),
    ...logged.map((line) => ['the log', line] as const),
  ];
  for (const [place, text] of texts) {
    const name = personalNames.find((personal) => text.includes(personal));
    if (name !== undefined) violate(place, name);
  }
  return violations;
}

/** Removes the customer: if customer data is enabled, an event may contain the customer's name as a value. */
function textWithoutCustomer({ data, ...event }: FeedEvent): string {
  const { customer: _customer, ...open } = data as typeof data & { readonly customer?: unknown };
  return JSON.stringify({ ...event, data: open });
}

function forEachText(value: unknown, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value);
  else if (Array.isArray(value)) for (const element of value) forEachText(element, visit);
  else if (typeof value === 'object' && value !== null) {
    for (const field in value) forEachText((value as Record<string, unknown>)[field], visit);
  }
}
