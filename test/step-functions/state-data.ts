// Where the data of a state comes from and goes to: paths, templates filled from them, and results put back.
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-input-output-filtering.html

/** What paths begin at: `$` and `$$`. */
export interface Scope {
  readonly data: unknown;
  readonly context: object;
}

const REFERENCE = /^\$\$?(?:\.\w+|\[\d+\])*$/;
const ARRAY = /^States\.Array\((.*)\)$/;

/** Whether {@link fillTemplate} knows such an expression: a path to one value, or an array of such. */
export function isKnownExpression(text: string): boolean {
  return pathsOf(text).every((path) => REFERENCE.test(path));
}

/** @returns what is there, undefined if there is nothing */
export function readPath(path: string, { data, context }: Scope): unknown {
  const [start, ...keys] = path.match(/\$+|\w+/g) ?? [];
  return keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    start === '$$' ? context : data,
  );
}

/** A copy of the template in which each field `name.$` is the field `name` with what its expression comes to. */
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
 * @param path where the result goes to in the state's input: null leaves it out, none takes its place
 * @returns what the next state gets
 */
export function putResult(input: unknown, result: unknown, path: string | null | undefined): unknown {
  if (path === null) return input;
  if (path === undefined || path === '$') return result;
  return { ...(input as object), [path.slice('$.'.length)]: result };
}
