// A log that keeps its lines for tests.
import type { Log, LogFields } from '../../../shared/ports.ts';

interface Line {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

export function createKeptLog(): Log & { readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const keep = (level: keyof Log) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields });
  };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}
