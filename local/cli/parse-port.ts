import { InvalidArgumentError } from 'commander';

/** Reads a port; 0 means any free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('Give a port from 0 to 65535.');
  return port;
}
