// Takes the lock of the directory named in the argument once it gets a line, says how that went, and keeps it.
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
