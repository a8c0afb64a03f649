// Failures as the command line reports them: one line, what is wrong and what to do, no stack.
import { printable } from './printable.ts';

/** Thrown for invalid usage: an option, an argument or an environment variable. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code of a command that worked, and found something that needs attention. */
export const NEEDS_ATTENTION = 3;

/** The failure in one line. */
export function formatFailure(error: unknown): string {
  return `error: ${failureOf(error)}`;
}

/** The message as one line, with what helps. */
export function failureOf(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  const message = printable(messageOf(error).replaceAll(/\s*\n\s*/g, ' '));
  if (code !== 'EMFILE') return message;
  return `${message.replace(/\.+$/, '')}. Allow more open files, for instance with "ulimit -n 256".`;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
