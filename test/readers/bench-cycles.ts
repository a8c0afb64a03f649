// `npx tsx test/readers/bench-cycles.ts`: what a request of the feed shows at rest, in each order, page and size.
import { Command } from 'commander';
import { measureCycles } from './measure-cycles.ts';

const program = new Command('bench-cycles')
  .description('Measures how many rows of the store each request of a reconciliation cycle shows, at rest.')
  .option('--groups <numbers>', 'sizes of the store', numbers, [300, 3_000])
  .option('--pages <numbers>', 'rows of a page at most', numbers, [200, 20])
  .option('--orders <names>', 'orders, separated by commas', 'stable,unstable')
  .option('--minutes <number>', 'how long one measurement may take', Number, 10)
  .option('--seed <number>', 'seed of the store', Number, 1)
  .action(run);

await program.parseAsync();

interface Options {
  readonly groups: number[];
  readonly pages: number[];
  readonly orders: string;
  readonly minutes: number;
  readonly seed: number;
}

async function run({ groups: sizes, pages, orders, minutes, seed }: Options): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  console.log(
    `seed ${seed}\norder     rows a page  groups  share  rows  requests of walks  of polls  seconds  cycles`,
  );
  for (const groups of sizes) {
    for (const order of orders.split(',')) {
      for (const pageRows of pages) {
        const found = await measureCycles({
          groups,
          pageRows,
          hasOrder: order === 'stable',
          options: { every: '5s', reconcile: '5s', settle: '3s' },
          seed,
          mostMs: minutes * 60_000,
          signal: interrupt.signal,
        }).catch((error: unknown) => {
          if (interrupt.signal.aborted) process.exit(130);
          throw error;
        });
        const head = `${order.padEnd(9)} ${String(pageRows).padStart(11)} ${String(groups).padStart(7)}`;
        if (!found) {
          console.log(`${head}  no cycle ended within ${minutes} min`);
          continue;
        }
        const { share, rows, walkRequests, pollRequests, seconds, cycles } = found;
        const columns = [
          share.toFixed(2).padStart(6),
          rows.toFixed(0).padStart(5),
          walkRequests.toFixed(1).padStart(18),
          pollRequests.toFixed(1).padStart(9),
          seconds.toFixed(1).padStart(8),
          String(cycles).padStart(7),
        ];
        console.log(`${head} ${columns.join(' ')}`);
      }
    }
  }
}

function numbers(text: string): number[] {
  return text.split(',').map(Number);
}
