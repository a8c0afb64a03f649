import type { Log, LogFields } from '../../shared/ports.ts';
import { printable } from './printable.ts';

/** A log for a terminal: one line for each entry; debug and info entries only if verbose. */
export function createTerminalLog(write: (line: string) => void, isVerbose: boolean): Log {
  const writeEntry = (level: string, message: string, fields: LogFields = {}) => {
    write(printable(`${level}: ${message}${formatFields(fields)}`));
  };
  return {
    debug: (message, fields) => isVerbose && writeEntry('debug', message, fields),
    info: (message, fields) => isVerbose && writeEntry('info', message, fields),
    warn: (message, fields) => writeEntry('warning', message, fields),
    error: (message, fields) => writeEntry('error', message, fields),
  };
}

function formatFields(fields: LogFields): string {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [
      `${name}: ${value instanceof Error ? value.message : Array.isArray(value) ? value.join('; ') : value}`,
    ];
  });
  return parts.length === 0 ? '' : ` (${parts.join(', ').replaceAll(/\s*\n\s*/g, ' ')})`;
}
