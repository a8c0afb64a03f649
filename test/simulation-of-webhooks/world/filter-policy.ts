// Evaluates a filter policy on message attributes by the rules that SNS documents: every name of the policy must be an
// attribute, and its value, or one of a list, one of the policy's texts, or none of those that "anything-but" lists. An empty policy accepts
// everything.
// https://docs.aws.amazon.com/sns/latest/dg/attribute-key-matching.html

import type { PolicyValue } from '../../../shared/contract/event-filter.ts';

export function acceptsPolicy(
  policy: Readonly<Record<string, readonly PolicyValue[]>>,
  attributes: Readonly<Record<string, string | readonly string[] | undefined>>,
): boolean {
  for (const name of Object.keys(policy)) {
    const values = [attributes[name] ?? []].flat();
    const meets = (wanted: PolicyValue, value: string) =>
      typeof wanted === 'string' ? wanted === value : !wanted['anything-but'].includes(value);
    if (!(policy[name] ?? []).some((wanted) => values.some((value) => meets(wanted, value)))) return false;
  }
  return true;
}
