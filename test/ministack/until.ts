import { setTimeout } from 'node:timers/promises';

const LONGEST_MS = 75_000;
const PAUSE_MS = 200;

/** Repeats an assertion until it holds. @throws its last error after a time that a busy machine does not need */
export async function until<Result>(assertion: () => Promise<Result> | Result): Promise<Result> {
  for (const deadline = Date.now() + LONGEST_MS; ; await setTimeout(PAUSE_MS)) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
