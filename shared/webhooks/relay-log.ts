// The log of a relay that a webhook's sender or sweep runs. An event that is left unsent is usual there, or has a line
// of its own. A table that can't be read or written has none.
import type { Log } from '../ports.ts';

/**
 * Returns a log that keeps a warning only if it has an error, and logs the others for debugging.
 *
 * @param isUsual whether an error is no reason for a warning
 */
export function logErrorsAlone(log: Log, isUsual: (error: Error) => boolean = () => false): Log {
  return {
    ...log,
    warn(message, fields) {
      const error = fields?.error;
      const isWarning = error instanceof Error && !isUsual(error);
      log[isWarning ? 'warn' : 'debug'](message, fields);
    },
  };
}
