// A key that a running command obeys on a terminal, followed by Enter: in line mode Ctrl-C and Ctrl-Z keep their meaning.
import { createInterface } from 'node:readline';

/** Calls back for each line that is only this key, until the signal aborts. Does nothing where stdin is no terminal. */
export function onKey(key: string, signal: AbortSignal, pressed: () => void): void {
  const { stdin } = process;
  if (!stdin.isTTY || signal.aborted) return;
  // In the background, reading from the terminal would stop the process; with a handler the read only fails.
  const ignore = () => {};
  process.on('SIGTTIN', ignore);
  stdin.on('error', ignore);
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on('line', (line) => {
    if (line.trim() === key) pressed();
  });
  signal.addEventListener(
    'abort',
    () => {
      lines.close();
      stdin.pause();
      stdin.off('error', ignore);
      process.off('SIGTTIN', ignore);
    },
    { once: true },
  );
}
