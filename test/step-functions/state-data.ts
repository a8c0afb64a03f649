// Input and output of a state: paths, templates filled from them, and results put back.
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-input-output-filtering.html

/** The roots of paths: `$` and `$$`. */
export interface Scope {
  readonly data: unknown;
  readonly context: object;
}

const REFERENCE = /^\$\$?(?:\.\w+|\[\d+\])*$/;
const ARRAY = /^States\.Array\((.*)\)$/;

/** Whether {@link fillTemplate} supports an expression: a path to one value, or an array of such. */
export function isKnownExpression(text: string): boolean {
  return pathsOf(text).every((path) => REFERENCE.test(path));
}

/** @returns the value, or undefined */
export function readPath(path: string, { data, context }: Scope): unknown {
  const [start, ...keys] = path.match(/\$+|\w+/g) ?? [];
  return keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    start === '$$' ? context : data,
  );
}

/** A copy of the template in which each field `name.$` becomes `name` with the value of its expression. */
export function fillTemplate(template: unknown, scope: Scope): unknown {
  if (Array.isArray(template)) return template.map((it) => fillTemplate(it, scope));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) =>
      name.endsWith('.$') ? [name.slice(0, -2), evaluate(value, scope)] : [name, fillTemplate(value, scope)],
    ),
  );
}

function evaluate(expression: string, scope: Scope): unknown {
  const values = pathsOf(expression).map((path) => {
    const value = readPath(path, scope);
    if (value === undefined)
      throw Object.assign(new Error(`There is nothing at ${path}.`), { name: 'States.ParameterPathFailure' });
    return value;
  });
  return ARRAY.test(expression) ? values : values[0];
}

function pathsOf(expression: string): string[] {
  const [, list] = ARRAY.exec(expression) ?? [];
  return list === undefined ? [expression] : list.split(',').map((path) => path.trim());
}

/**
 * @param path where the result goes in the state's input: null drops it, undefined replaces the input
 * @returns the input of the next state
 */
export function putResult(input: unknown, result: unknown, path: string | null | undefined): unknown {
  if (path === null) return input;
  if (path === undefined || path === '$') return result;
  return { ...(input as object), [path.slice('$.'.length)]: result };
}
