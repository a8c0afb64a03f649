import { createInterface } from 'node:readline/promises';
import { Option } from 'commander';
import { UsageError } from './failures.ts';

/** `--yes`, for a command whose effect can't be undone. @param what it does without asking */
export function yesOption(what: string): Option {
  return new Option('--yes', `${what}; needed where there is no terminal to ask`).default(false);
}

/**
 * Asks for confirmation at the terminal.
 *
 * @throws UsageError if there is no terminal, or the answer is not yes
 */
export async function confirm(question: string): Promise<void> {
  if (!canAsk()) throw new UsageError(`${question} There is no terminal to ask: add --yes to confirm.`);
  await ask(question);
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
