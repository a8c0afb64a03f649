import { createInterface } from 'node:readline/promises';
import { UsageError } from './failures.ts';

/**
 * Asks a person at a terminal. @throws UsageError where there is none to ask, or who was asked does not agree
 *
 * @param otherwise what to write instead where nobody can be asked
 */
export async function confirm(question: string, otherwise: string): Promise<void> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw new UsageError(`${question} ${otherwise}`);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was done.');
  } finally {
    asking.close();
  }
}
