// Decides like IAM whether a statement applies to a call: to its action, its resource and its condition keys. A condition
// on a key that the call does not have is not met, and an unknown operator throws, so that none is ignored.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html

export interface Permission {
  /** For instance `dynamodb:GetItem`. */
  readonly action: string;
  readonly resource: string;
  /** The condition keys of the call. */
  readonly context?: Context;
}

/** Condition keys of a call, for instance `aws:SourceArn`; keys that the call does not have are absent. */
export type Context = Readonly<Record<string, string>>;

/** A statement with Refs and attributes resolved. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  /** Absent in a role's trust policy: its resource is the role. */
  readonly Resource?: string | readonly string[];
  readonly Condition?: Conditions;
}

/** Operators, each with keys and their accepted values. */
type Conditions = Readonly<Record<string, Readonly<Record<string, Value | readonly Value[]>>>>;
type Value = string | boolean;

/** Returns whether a statement allows a call and none denies it. */
export function allows(statements: readonly Statement[], permission: Permission): boolean {
  const matching = statements.filter((statement) => matches(statement, permission));
  return matching.length > 0 && matching.every(({ Effect }) => Effect === 'Allow');
}

/** Returns whether a statement, of either effect, applies to a call. */
export function matches(
  { Action, Resource, Condition = {} }: Statement,
  { action, resource, context = {} }: Permission,
): boolean {
  return (
    listOf(Action).some((it) => fits(it.toLowerCase(), action.toLowerCase())) &&
    (Resource === undefined || listOf(Resource).some((it) => fits(it, resource))) &&
    conditionsHold(Condition, context)
  );
}

function conditionsHold(conditions: Conditions, context: Context): boolean {
  const present = new Map(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));
  return Object.entries(conditions).every(([operator, keys]) => {
    const compare = COMPARISONS[operator];
    if (compare === undefined)
      throw new Error(`Unknown condition operator ${operator}: add it to policies.ts.`);
    return Object.entries(keys).every(([key, wanted]) => {
      const value = present.get(key.toLowerCase());
      return value !== undefined && listOf(wanted).some((it) => compare(String(it), value));
    });
  });
}

const COMPARISONS: Readonly<Record<string, (wanted: string, value: string) => boolean>> = {
  StringEquals: (wanted, value) => wanted === value,
  StringLike: fits,
  ArnEquals: fitsArn,
  ArnLike: fitsArn,
  Bool: (wanted, value) => wanted.toLowerCase() === value.toLowerCase(),
};

/** `*` stands for any text, `?` for one character. */
function fits(pattern: string, text: string): boolean {
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

function listOf<It>(value: It | readonly It[]): readonly It[] {
  return Array.isArray(value) ? value : [value as It];
}
