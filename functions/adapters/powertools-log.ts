// Log lines for CloudWatch, by Powertools: level and service come from POWERTOOLS_LOG_LEVEL and
// POWERTOOLS_SERVICE_NAME. Of an error, only its name, message and stack are logged, and those of its causes. Its other
// properties (the request and answer of an SDK's call, the input of a schema) may hold fields of a row.
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Log, LogFields } from '../../shared/ports.ts';

export function createPowertoolsLog(logger: Logger): Log {
  return {
    debug: (message, fields = {}) => logger.debug(message, loggable(fields)),
    info: (message, fields = {}) => logger.info(message, loggable(fields)),
    warn: (message, fields = {}) => logger.warn(message, loggable(fields)),
    error: (message, fields = {}) => logger.error(message, loggable(fields)),
  };
}

/** Causes are logged to this depth. */
const MAX_CAUSES = 5;

type LoggedError = { name: string; message: string; stack?: string; cause?: LoggedError };

function loggable(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? describeError(value) : value,
    ]),
  );
}

function describeError(error: Error, depth = 0): LoggedError {
  const { name } = error;
  // JSON.parse quotes the text that it could not parse.
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
