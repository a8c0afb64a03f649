// Texts that the feed must not store, send or log.
import { FIRST_TOKEN, OTHER_TOKEN, SECOND_TOKEN, type World } from './world/world.ts';

/** Searching everything for every text is slow, so only every fourth seed does it. */
const SECRETS_EVERY = 4;

/** Customers' texts, and tokens. None of them may be stored or sent. */
export function secretsOf({ service, plan }: World): string[] {
  const secrets = [FIRST_TOKEN, SECOND_TOKEN, OTHER_TOKEN];
  if (plan.seed % SECRETS_EVERY !== 0) return secrets;
  for (const { customer, order, shipments, returns } of service.store.groups()) {
    secrets.push(customer.name, customer.email, ...order.tags);
    if (customer.phone !== null) secrets.push(customer.phone);
    for (const { origin_address: home } of shipments) if (home !== null) secrets.push(home.address1);
    for (const { return_note: note, questions_answers: questions } of returns) {
      if (note !== null) secrets.push(note);
      for (const { answers, question_type: type } of questions) if (type === 'TEXT') secrets.push(...answers);
    }
  }
  return secrets.filter((text) => text.length > 3);
}

/** Field names that are personal data, where the service has new fields. */
export function personalNamesOf({ service }: World): string[] {
  return [...new Set(Array.from(service.store.groups(), ({ customer }) => customer.email))];
}
