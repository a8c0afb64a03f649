import { createInterface } from 'node:readline/promises';
import { UsageError } from './failures.ts';

/**
 * Asks for confirmation at the terminal.
 *
 * @param otherwise the error's advice if there is no terminal
 * @throws UsageError if there is no terminal, or the answer is not yes
 */
export async function confirm(question: string, otherwise: string): Promise<void> {
  if (!canAsk()) throw new UsageError(`${question} ${otherwise}`);
  await ask(question);
}

/**
 * Asks for confirmation if there is a terminal; a script is not asked.
 *
 * @throws UsageError if the answer is not yes
 */
export async function confirmOnTerminal(question: string): Promise<void> {
  if (canAsk()) await ask(question);
}

function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

async function ask(question: string): Promise<void> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Not confirmed: nothing was done.');
  } finally {
    asking.close();
  }
}
