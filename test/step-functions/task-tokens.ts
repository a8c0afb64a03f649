// Tasks that wait until their token is sent back, or their time limit passes.
// https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html#connect-wait-token
import { randomUUID } from 'node:crypto';
import { named } from './states-language.ts';

export interface TaskTokens {
  /** A new token. */
  issue(): string;
  hasIssued(token: string): boolean;
  /** The token in a task's parameters. */
  findIn(parameters: unknown): string;
  /**
   * Waits for an issued token.
   *
   * @returns the output sent with it
   * @throws an error named States.Timeout after the time limit
   */
  wait(token: string, limitSeconds: number): Promise<unknown>;
  /** Drops the token of a task that did not start. */
  drop(token: string): void;
  /** @returns Step Functions' name of the refusal; undefined if the token was accepted */
  succeed(token: string, output: unknown): 'InvalidToken' | 'TaskTimedOut' | undefined;
  countWaiting(): number;
  untilWaiting(count: number): Promise<void>;
  passTime(seconds: number): void;
}

interface Waiting {
  readonly until: number;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function createTaskTokens(): TaskTokens {
  const issued = new Set<string>();
  const waiting = new Map<string, Waiting>();
  /** Outputs sent before the task began to wait: the token is in the table by then, so a fast sender can be early. */
  const early = new Map<string, unknown>();
  const over = new Set<string>();
  const watchers = new Set<() => void>();
  let now = 0;

  const end = (token: string): Waiting | undefined => {
    const task = waiting.get(token);
    waiting.delete(token);
    over.add(token);
    return task;
  };
  const notify = () => {
    for (const watch of [...watchers]) watch();
  };

  return {
    issue() {
      const token = `token-${randomUUID()}`;
      issued.add(token);
      return token;
    },
    hasIssued: (token) => issued.has(token),
    findIn(parameters) {
      const [token] = JSON.stringify(parameters).match(/token-[0-9a-f-]{36}/) ?? [];
      if (token === undefined) throw new Error('A waiting task has no token in its parameters.');
      return token;
    },
    async wait(token, limitSeconds) {
      if (early.has(token)) return early.get(token);
      return new Promise((resolve, reject) => {
        waiting.set(token, { until: now + limitSeconds, resolve, reject });
        notify();
      });
    },
    drop: (token) => void over.add(token),
    succeed(token, output) {
      if (!issued.has(token)) return 'InvalidToken';
      if (over.has(token)) return 'TaskTimedOut';
      const task = end(token);
      if (task === undefined) early.set(token, output);
      else task.resolve(output);
      return undefined;
    },
    countWaiting: () => waiting.size,
    untilWaiting: (count) =>
      new Promise((resolve) => {
        const watch = () => {
          if (waiting.size !== count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
    passTime(seconds) {
      now += seconds;
      for (const [token, { until }] of [...waiting])
        if (until <= now) end(token)?.reject(named('States.Timeout', 'The time limit is over.'));
    },
  };
}
