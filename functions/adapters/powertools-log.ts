// Lines for CloudWatch, by Powertools: level and service come from POWERTOOLS_LOG_LEVEL and POWERTOOLS_SERVICE_NAME.
// Of an error only its name, message and place are written, and those of its causes: what else an error carries (the
// request and answer of an SDK's call, the input of a schema) may hold fields of a row.
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Log, LogFields } from '../../shared/ports.ts';

export function createPowertoolsLog(logger: Logger): Log {
  return {
    debug: (message, fields = {}) => logger.debug(message, tell(fields)),
    info: (message, fields = {}) => logger.info(message, tell(fields)),
    warn: (message, fields = {}) => logger.warn(message, tell(fields)),
    error: (message, fields = {}) => logger.error(message, tell(fields)),
  };
}

/** Causes of causes are told this deep. */
const MAX_CAUSES = 5;

type LoggedError = { name: string; message: string; stack?: string; cause?: LoggedError };

function tell(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? describeError(value) : value,
    ]),
  );
}

function describeError(error: Error, depth = 0): LoggedError {
  const { name } = error;
  // JSON.parse quotes the text that it could not read.
  const message = error instanceof SyntaxError ? 'not valid JSON' : error.message;
  const place = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return {
    name,
    message,
    ...(place?.length ? { stack: place.join('\n') } : {}),
    ...(error.cause instanceof Error && depth < MAX_CAUSES
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  };
}
