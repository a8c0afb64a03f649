import { UsageError } from '../cli/failures.ts';

/** Where to listen. */
export interface ListenAt {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

/** Reads `8091`, `127.0.0.1:8091` or `[::]:8091`. @throws UsageError */
export function parseListenAt(text: string): ListenAt {
  const [, host = '127.0.0.1', port = ''] = /^(?:(\[[\da-f:.]+\]|[^\s:]+):)?(\d{1,5})$/i.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new UsageError(
      `"${text}" is no place to listen at: give PORT or HOST:PORT, for instance 127.0.0.1:8091.`,
    );
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}
