// G7: nothing that is stored, sent or logged holds a customer's name, e-mail, phone, address or words, or a token.
import type { Evidence, Violation } from './evidence.ts';

export function checkPrivate({ secrets, stored, logged, sources }: Evidence): Violation[] {
  const tainted = new Set(secrets);
  const violations: Violation[] = [];
  const violate = (place: string, text: string) =>
    violations.push({ guarantee: 'G7', place, message: `holds "${text}"` });

  for (const item of stored) forEachText(item, (text) => tainted.has(text) && violate('a stored item', text));
  for (const { written, customerData } of sources) {
    for (const { event } of written) {
      const { customer: _told, ...data } = event.data as typeof event.data & { readonly customer?: unknown };
      const open = customerData ? data : event.data;
      forEachText({ ...event, data: open }, (text) => tainted.has(text) && violate(event.id, text));
    }
  }
  // A log's line may hold such a text among others.
  for (const line of new Set(logged)) {
    for (const text of tainted) if (text.length > 5 && line.includes(text)) violate('the log', text);
  }
  return violations;
}

function forEachText(value: unknown, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value);
  else if (Array.isArray(value)) for (const element of value) forEachText(element, visit);
  else if (typeof value === 'object' && value !== null) {
    for (const field in value) forEachText((value as Record<string, unknown>)[field], visit);
  }
}
