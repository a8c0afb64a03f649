// EventBridge's event patterns, for rules on a bus and filters of event source mappings: exact values, prefix, suffix,
// equals-ignore-case, wildcard, anything-but, exists, numeric, $or; not cidr. Compiling an unknown pattern throws, so
// that it can't silently match nothing.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
import { EngineError } from './engine-error.ts';

/** A pattern as JSON: nested objects whose leaves are arrays of the allowed values. */
export type EventPattern = Readonly<Record<string, unknown>>;

/** A test of one value; the elements of an array are tested one by one. */
interface Matcher {
  readonly fits: (value: unknown) => boolean;
  /** Whether it fits a missing field. */
  readonly fitsAbsence?: boolean;
}

type Predicate = (event: unknown) => boolean;

/**
 * A test of events against the pattern.
 *
 * @throws EngineError if the pattern is invalid, with the path of the invalid part
 */
export function compileEventPattern(pattern: EventPattern, path = ''): Predicate {
  if (Object.keys(pattern).length === 0) throw invalid(path, 'is empty');
  const tests = Object.entries(pattern).map(([field, wanted]) => compileField(field, wanted, path));
  return (event) => tests.every((test) => test(event));
}

function compileField(field: string, wanted: unknown, parent: string): Predicate {
  const path = `${parent}/${field}`;
  if (field === '$or') {
    const branches = listOf(wanted, path).map((it, index) => compileNested(it, `${path}/${index}`));
    return (event) => branches.some((test) => test(event));
  }
  if (Array.isArray(wanted)) {
    const matchers = wanted.map((it) => compileMatcher(it, path));
    return (event) => fitsLeaf(isObject(event) ? event[field] : undefined, matchers);
  }
  const test = compileNested(wanted, path);
  // In an array of objects, one element must match as a whole. EventBridge looks for a field that must not exist in all
  // of them.
  return (event) => {
    const value = isObject(event) ? event[field] : undefined;
    return Array.isArray(value) && value.some(isObject) ? value.some(test) : test(value);
  };
}

function compileNested(wanted: unknown, path: string): Predicate {
  if (!isObject(wanted)) throw invalid(path, 'must be an object or an array');
  return compileEventPattern(wanted, path);
}

function fitsLeaf(value: unknown, matchers: readonly Matcher[]): boolean {
  const leaves = (Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value]).filter(
    (it) => it !== undefined && !isObject(it),
  );
  if (leaves.length === 0) return matchers.some(({ fitsAbsence }) => fitsAbsence);
  return leaves.some((leaf) => matchers.some(({ fits }) => fits(leaf)));
}

function compileMatcher(wanted: unknown, path: string): Matcher {
  if (!isObject(wanted)) return { fits: (value) => value === wanted };
  const [[operator, operand] = ['', undefined], ...others] = Object.entries(wanted);
  if (operator === '' || others.length > 0) throw invalid(path, 'must name one operator');
  if (operator === 'exists') {
    if (typeof operand !== 'boolean') throw invalid(path, 'exists takes true or false');
    return { fits: () => operand, fitsAbsence: !operand };
  }
  if (operator === 'anything-but') return { fits: compileAnythingBut(operand, path) };
  if (operator === 'numeric') return { fits: compileNumeric(operand, path) };
  return { fits: compileText(operator, operand, path) };
}

function compileAnythingBut(operand: unknown, path: string): (value: unknown) => boolean {
  const excluded = (Array.isArray(operand) ? operand : [operand]).flatMap((it) =>
    isObject(it)
      ? Object.entries(it).flatMap(([operator, texts]) =>
          (Array.isArray(texts) ? texts : [texts]).map((text) => compileText(operator, text, path)),
        )
      : [(value: unknown) => value === it],
  );
  return (value) => !excluded.some((fits) => fits(value));
}

const TEXT_TESTS: Readonly<Record<string, (text: string) => (value: string) => boolean>> = {
  prefix: (text) => (value) => value.startsWith(text),
  suffix: (text) => (value) => value.endsWith(text),
  'equals-ignore-case': (text) => (value) => value.toLowerCase() === text.toLowerCase(),
  wildcard: (text) => {
    const expression = new RegExp(`^${text.split('*').map(escapeForRegExp).join('.*')}$`, 's');
    return (value) => expression.test(value);
  },
};

function compileText(operator: string, operand: unknown, path: string): (value: unknown) => boolean {
  const compile = TEXT_TESTS[operator];
  if (compile === undefined) throw invalid(path, `has the unknown operator ${operator}`);
  if ((operator === 'prefix' || operator === 'suffix') && isObject(operand)) {
    const folded = compile(textOf(operand['equals-ignore-case'], path).toLowerCase());
    return (value) => typeof value === 'string' && folded(value.toLowerCase());
  }
  const test = compile(textOf(operand, path));
  return (value) => typeof value === 'string' && test(value);
}

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

function compileNumeric(operand: unknown, path: string): (value: unknown) => boolean {
  const parts = listOf(operand, path);
  if (parts.length !== 2 && parts.length !== 4) throw invalid(path, 'numeric takes one or two comparisons');
  const tests: ((value: number) => boolean)[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const compare = COMPARISONS[String(parts[index])];
    const bound = parts[index + 1];
    if (compare === undefined || typeof bound !== 'number') throw invalid(path, 'numeric is malformed');
    tests.push((value) => compare(value, bound));
  }
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(path, 'must be an array');
  return value;
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalid(path, 'must be a text');
  return value;
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function invalid(path: string, problem: string): EngineError {
  return new EngineError(`Event pattern: ${path || 'the pattern'} ${problem}.`);
}
