// Evaluates a filter policy on message attributes by the rules that SNS documents: every name of the policy must be an
// attribute, and its value one of the policy's texts. An empty policy accepts everything.
// https://docs.aws.amazon.com/sns/latest/dg/attribute-key-matching.html

export function acceptsPolicy(
  policy: Readonly<Record<string, readonly string[]>>,
  attributes: Readonly<Record<string, string | undefined>>,
): boolean {
  for (const name of Object.keys(policy)) {
    const value = attributes[name];
    if (value === undefined) return false;
    if (!(policy[name] ?? []).some((text) => text === value)) return false;
  }
  return true;
}
