// The kinds of knob values: how each is documented and parsed on the command line.

export interface Knob<Value> {
  /** The allowed values, for help texts. */
  readonly values: string;
  readonly byDefault: Value;
  readonly description: string;
  /** The value of a text, or undefined if the text is invalid. */
  read(text: string): Value | undefined;
}

/** From `least` to `most`, both included. */
export interface Span {
  readonly least: number;
  readonly most: number;
}

export function oneOf<const Value extends string>(
  values: readonly Value[],
  byDefault: NoInfer<Value>,
  description: string,
): Knob<Value> {
  return {
    values: values.join(' | '),
    byDefault,
    description,
    read: (text) => values.find((value) => value === text),
  };
}

/** A comma-separated list of known words; `all` means all of them, `none` the empty list. */
export function someOf<const Value extends string>(
  values: readonly Value[],
  byDefault: readonly NoInfer<Value>[],
  description: string,
): Knob<readonly Value[]> {
  return {
    values: `all | none | a list of ${values.join(', ')}`,
    byDefault,
    description,
    read: (text) => {
      if (text === 'all') return values;
      if (text === 'none') return [];
      const words = text.split(',').map((word) => word.trim());
      const known = values.filter((value) => words.includes(value));
      return words.every((word) => (values as readonly string[]).includes(word)) ? known : undefined;
    },
  };
}

export function matching(
  pattern: RegExp,
  values: string,
  byDefault: string,
  description: string,
): Knob<string> {
  return { values, byDefault, description, read: (text) => (pattern.test(text) ? text : undefined) };
}

export function flag(description: string): Knob<boolean> {
  return {
    values: 'true | false',
    byDefault: false,
    description,
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  };
}

export function count(byDefault: number, least: number, description: string): Knob<number> {
  return {
    values: `an integer, at least ${least}`,
    byDefault,
    description,
    read: (text) => (/^\d{1,12}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
  };
}

/** A fraction from 0 to 1. */
export function share(byDefault: number, description: string): Knob<number> {
  return {
    values: 'a fraction from 0 to 1',
    byDefault,
    description,
    read: (text) => {
      const value = readNumber(text);
      return value !== undefined && value >= 0 && value <= 1 ? value : undefined;
    },
  };
}

export function amount(byDefault: number, unit: string, description: string, least = 0): Knob<number> {
  return {
    values: `${unit}${least < 0 ? ', may be negative' : ''}`,
    byDefault,
    description,
    read: (text) => {
      const value = readNumber(text);
      return value !== undefined && value >= least ? value : undefined;
    },
  };
}

export function span(byDefault: Span, unit: string, description: string): Knob<Span> {
  return {
    values: `${unit}: one number, or two as 0-30`,
    byDefault,
    description,
    read: (text) => {
      const [, first = '', second = first] = /^(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
      const least = readNumber(first);
      const most = readNumber(second);
      return least === undefined || most === undefined || most < least ? undefined : { least, most };
    },
  };
}

function readNumber(text: string): number | undefined {
  return /^-?\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}
