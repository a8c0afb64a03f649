// Evaluates a filter policy on message attributes by the rules that SNS documents: every name of the policy must be an
// attribute, and its value one of the policy's texts, or none of those that "anything-but" lists. An empty policy accepts
// everything.
// https://docs.aws.amazon.com/sns/latest/dg/attribute-key-matching.html

import type { PolicyValue } from '../../../shared/contract/event-filter.ts';

export function acceptsPolicy(
  policy: Readonly<Record<string, readonly PolicyValue[]>>,
  attributes: Readonly<Record<string, string | undefined>>,
): boolean {
  for (const name of Object.keys(policy)) {
    const value = attributes[name];
    if (value === undefined) return false;
    const meets = (wanted: PolicyValue) =>
      typeof wanted === 'string' ? wanted === value : !wanted['anything-but'].includes(value);
    if (!(policy[name] ?? []).some(meets)) return false;
  }
  return true;
}
