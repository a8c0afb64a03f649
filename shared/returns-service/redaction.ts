// Redacts messages and causes. A service may repeat what it was sent, and a library may repeat it in its errors, so
// every message and cause passes through here first.

export type Redact = (text: string) => string;

/** Shorter values occur in ordinary words, and masking them would make a message unreadable. */
const MIN_CHARACTERS = 3;
const MAX_CAUSES = 5;
const MASK = '[…]';
const NOTHING = /(?!)/g;
// The longest possible address: without a bound, a long text without blanks takes very long.
const EMAIL = /[^\s"'<>()@]{1,254}@[^\s"'<>()@]{1,254}/g;

/** Masks the given values, plain and as encoded in addresses and JSON, and all e-mail addresses. */
export function createRedact(values: readonly string[]): Redact {
  // Created lazily: each request has one, and only the few that fail need it.
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

/** A redacted copy of an error with only its name, message, code, stack and causes. */
export function redactError(error: unknown, redact: Redact, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth >= MAX_CAUSES) return undefined;
  const cause = redactError(error.cause, redact, depth + 1);
  const safe = new Error(redact(error.message), cause === undefined ? undefined : { cause });
  safe.name = redact(error.name);
  safe.stack = redact(error.stack ?? '');
  if ('code' in error && typeof error.code === 'string') Object.assign(safe, { code: redact(error.code) });
  return safe;
}
