// A service may repeat what it was sent, and so may a library in its errors. Whatever goes into a message or a cause
// passes here first.

export type Redact = (text: string) => string;

/** Shorter ones occur in ordinary words, and would leave of a message nothing that anyone could read. */
const MIN_CHARACTERS = 3;
const MAX_CAUSES = 5;
const MASK = '[…]';
const NOTHING = /(?!)/g;
// As long as an address can be, and no longer: without a bound a long text without blanks takes ages.
const EMAIL = /[^\s"'<>()@]{1,254}@[^\s"'<>()@]{1,254}/g;

/** Masks the values given, as they are and as they are written in addresses and JSON, and all e-mail addresses. */
export function createRedact(values: readonly string[]): Redact {
  // Made for each request, and needed by the few that fail.
  let pattern: RegExp | undefined;
  return (text) => {
    pattern ??= patternOf(values);
    return text.replace(pattern, MASK).replace(EMAIL, MASK);
  };
}

function patternOf(values: readonly string[]): RegExp {
  const forms = new Set(values.filter((value) => value.length >= MIN_CHARACTERS).flatMap(formsOf));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length).map(escapeForPattern);
  return longestFirst.length === 0 ? NOTHING : new RegExp(longestFirst.join('|'), 'gi');
}

function formsOf(value: string): string[] {
  const encoded = encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\u{FFFD}'));
  return [value, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(value).slice(1, -1)];
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** An error with the same story, of which nothing but name, message, code and stack is left, all of it redacted. */
export function redactError(error: unknown, redact: Redact, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth >= MAX_CAUSES) return undefined;
  const cause = redactError(error.cause, redact, depth + 1);
  const safe = new Error(redact(error.message), cause === undefined ? undefined : { cause });
  safe.name = redact(error.name);
  safe.stack = redact(error.stack ?? '');
  if ('code' in error && typeof error.code === 'string') Object.assign(safe, { code: redact(error.code) });
  return safe;
}
