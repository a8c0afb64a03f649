// Prints lines until that fails, then reports on stderr how many were printed, and why it ended.
import { createPrinter } from '../../../../local/cli/print.ts';

// Without a handler the signal would end the process: with one, a write beyond `ulimit -f` fails as on a full disk.
process.on('SIGXFSZ', () => {});
const out = createPrinter(process.stdout);
let printed = 0;
try {
  for (;;) {
    await out.line(`line ${printed + 1} ${'x'.repeat(300)}`);
    printed += 1;
  }
} catch (error) {
  process.stderr.write(
    JSON.stringify({ printed, name: (error as Error).name, text: (error as Error).message }),
  );
}
