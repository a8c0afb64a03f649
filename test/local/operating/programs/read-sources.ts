// Keeps the data directory in the argument open, like a console, and prints its sources for each line of input.
import { createInterface } from 'node:readline';
import { openPlace } from '../../../../local/operating/open-place.ts';
import { openStates } from '../../../../local/operating/open-states.ts';

const [data = ''] = process.argv.slice(2);
const open = openStates(await openPlace({ data }));
process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  const names = await open.sources(undefined);
  process.stdout.write(`${names.join(' ')}\n`);
}
await open.close();
