// Takes the lock of the directory in the argument on each line of input, prints the outcome, and keeps the lock.
import { createInterface } from 'node:readline';
import { lockDataDirectory } from '../../../../local/engines/data-directory-lock.ts';

const [path = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  const outcome = await lockDataDirectory(path).then(
    () => 'taken',
    (error: Error) => error.message,
  );
  process.stdout.write(`${outcome}\n`);
}
