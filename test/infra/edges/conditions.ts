// Decides whether a policy's conditions hold for a call's condition keys. An unknown operator throws, so that no operator
// is ignored.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html

/** Condition keys of a call, for instance `aws:SourceArn`; keys that the call does not have are absent. */
export type Context = Readonly<Record<string, string>>;

/** The conditions of a statement: operators, each with keys and their accepted values. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, string | boolean | Values>>>>;
type Values = readonly (string | boolean)[];

export function conditionsHold(conditions: Conditions | undefined, context: Context = {}): boolean {
  const present = new Map(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));
  return Object.entries(conditions ?? {}).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) =>
      holds(
        operator,
        present.get(key.toLowerCase()),
        (Array.isArray(wanted) ? wanted : [wanted]).map(String),
      ),
    ),
  );
}

function holds(operator: string, value: string | undefined, wanted: readonly string[]): boolean {
  if (operator === 'Null') return wanted.includes(String(value === undefined));
  // True if the key is absent. A call here has at most one value for a key.
  if (operator.startsWith(FOR_ALL))
    return value === undefined || holds(operator.slice(FOR_ALL.length), value, wanted);
  const name = operator.replace(/IfExists$/, '');
  const isNegated = name.includes('Not');
  const compare = COMPARISONS[name.replace('Not', '')];
  if (compare === undefined)
    throw new Error(`Unknown condition operator ${operator}: add it to conditions.ts.`);
  if (value === undefined) return isNegated || name !== operator;
  return wanted.some((it) => compare(it, value)) !== isNegated;
}

const FOR_ALL = 'ForAllValues:';

const COMPARISONS: Readonly<Record<string, (wanted: string, value: string) => boolean>> = {
  StringEquals: (wanted, value) => wanted === value,
  StringLike: fits,
  ArnEquals: fitsArn,
  ArnLike: fitsArn,
  Bool: (wanted, value) => wanted.toLowerCase() === value.toLowerCase(),
};

/** `*` stands for any text, `?` for one character. */
export function fits(pattern: string, text: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}

/** Compares part by part: a `*` does not match the colons before the resource. */
function fitsArn(pattern: string, arn: string): boolean {
  const [wanted, given] = [partsOf(pattern), partsOf(arn)];
  return wanted.length === given.length && wanted.every((part, at) => fits(part, given[at] ?? ''));
}

function partsOf(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}
