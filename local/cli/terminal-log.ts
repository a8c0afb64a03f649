import type { Log, LogFields } from '../../shared/ports.ts';
import { printable } from './printable.ts';

/** A log for people at a terminal: one line each on stderr, the details only where they are asked for. */
export function createTerminalLog(write: (line: string) => void, isVerbose: boolean): Log {
  const tell = (level: string, message: string, fields: LogFields = {}) => {
    write(printable(`${level}: ${message}${formatFields(fields)}`));
  };
  return {
    debug: (message, fields) => isVerbose && tell('debug', message, fields),
    info: (message, fields) => isVerbose && tell('info', message, fields),
    warn: (message, fields) => tell('warning', message, fields),
    error: (message, fields) => tell('error', message, fields),
  };
}

function formatFields(fields: LogFields): string {
  const told = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [
      `${name}: ${value instanceof Error ? value.message : Array.isArray(value) ? value.join('; ') : value}`,
    ];
  });
  return told.length === 0 ? '' : ` (${told.join(', ').replaceAll(/\s*\n\s*/g, ' ')})`;
}
