// The fields of a source in files: those of `watch --config` and of `sources add --file`, in the words of the options.
import * as z from 'zod';
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';
import { INCLUDABLE } from '../../shared/returns-service/read-included.ts';
import { counted } from './counts.ts';
import { parseDuration } from './durations.ts';
import { messageOf, UsageError } from './failures.ts';

export const duration = z
  .string()
  .meta({ examples: ['500ms', '60s', '5m', '2h'] })
  .transform((text, context) => {
    try {
      return parseDuration(text);
    } catch (error) {
      context.addIssue(messageOf(error));
      return z.NEVER;
    }
  });

export const nameField = z
  .string()
  .regex(SOURCE_NAME, 'must be 1 to 30 characters from a-z, 0-9 and "-"')
  .meta({
    description: 'Name of the source in events.',
  });

export const baseUrlField = z
  .string()
  .meta({ description: 'Address of the service, including its path prefix.' });

/** The settings that may be left out. */
export const settingFields = {
  every: duration.optional().meta({ description: 'Time between polls.' }),
  baseline: z.enum(['silent', 'emit']).optional().meta({
    description: 'Whether the returns that exist at the start are published (emit) or not (silent).',
  }),
  lookback: duration.optional().meta({
    description: 'Polls find a change that becomes visible within this time after its timestamp.',
  }),
  settle: duration.optional().meta({ description: 'Maximum staleness of a read.' }),
  reconcile: duration.optional().meta({ description: 'Time between walks over recent returns.' }),
  budget: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'Maximum number of requests in any 60 seconds.' }),
  timeout: duration.optional().meta({ description: 'Time limit of a request.' }),
  include: z.array(z.enum(INCLUDABLE)).optional().meta({ description: 'Further fields of events.' }),
};

const MOST_SHOWN = 20;

/** One report of all problems of a file. */
export function problemsIn(file: string, problems: readonly string[]): UsageError {
  const shown = problems.slice(0, MOST_SHOWN).map((problem) => problem.replace(/\.$/, ''));
  const more = problems.length > MOST_SHOWN ? `; and ${problems.length - MOST_SHOWN} more` : '';
  return new UsageError(`${file} has ${counted(problems.length, 'problem')}: ${shown.join('; ')}${more}.`);
}

/** For instance `baseUrl: Invalid input: expected string, received undefined`. @param whole in place of the empty path */
export function textsOf({ issues }: z.ZodError, whole: string): string[] {
  return issues.map(({ path, message }) => `${z.core.toDotPath(path) || whole}: ${message}`);
}
