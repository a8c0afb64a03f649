// The engine of a data directory for commands that only need its tables. Several of them share one engine: the first
// one starts it, the others use it. When that one ends, or `watch` asks for the directory, another engine has the
// tables, so each request looks again where they are when it fails.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDbEngine } from '../../test/engines/dynamodb-engine.ts';
import { EngineError } from '../../test/engines/engine-error.ts';
import { findHolder, lockDataDirectory } from './data-directory-lock.ts';

export interface SharedEngine {
  /** Where the tables are now. @throws EngineError if another machine has them, or no engine comes up */
  endpoint(): Promise<string>;
  /** Reports that the endpoint does not answer. */
  lost(endpoint: string): void;
  /** Ends the engine if this process has started it. */
  close(): Promise<void>;
}

/** Starts an engine on the directory's tables. */
export type StartEngine = () => Promise<DynamoDbEngine>;

/** Time for another process to start its engine, or to end it. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;

export function shareEngine(path: string, start: StartEngine): SharedEngine {
  let current: Promise<string> | undefined;
  /** Ends the engine of this process and releases the directory. */
  let end: () => Promise<void> = async () => {};
  let isClosed = false;

  function giveUp(): Promise<void> {
    current = undefined;
    const ending = end();
    // Nothing ends twice; a second caller waits for the first.
    end = () => ending;
    return ending;
  }

  async function find(): Promise<string> {
    for (let waited = 0; ; waited += LOOK_EVERY_MS) {
      if (isClosed) throw new EngineError(`The data directory ${path} was closed.`);
      const holder = await findHolder(path);
      if (holder?.isHere === false)
        throw new EngineError(
          `Process ${holder.pid} on ${holder.host} is using ${path}: run this there, or stop it.`,
        );
      if (holder?.endpoint !== undefined) return holder.endpoint;
      const own = holder === undefined ? await open() : undefined;
      if (own !== undefined) return own;
      if (waited >= PATIENCE_MS)
        throw new EngineError(
          holder === undefined
            ? `The engine for the tables in ${path} did not start within ${PATIENCE_MS / 1_000} s. Run the command again.`
            : `Process ${holder.pid} is using ${path}, but its engine did not start. Stop it, or try again.`,
        );
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** @returns undefined if another process was faster */
  async function open(): Promise<string | undefined> {
    const onGone = () => void giveUp().catch(() => {});
    const lock = await lockDataDirectory(path, { onAsked: onGone, onLost: onGone }).catch(
      async (error: unknown) => {
        if ((await findHolder(path)) === undefined) throw error;
        return undefined;
      },
    );
    if (lock === undefined) return undefined;
    const starting = start();
    const announcing = starting.then(async ({ endpoint }) => {
      await lock.announce(endpoint);
      return endpoint;
    });
    const endThis = async () => {
      await announcing.catch(() => {});
      await starting.then((engine) => engine.stop()).catch(() => {});
      await lock.release();
    };
    end = endThis;
    // An engine that ends by itself gives the directory up, so that the next request starts another one.
    const whenEnded = () => (end === endThis ? giveUp() : undefined);
    void starting.then(({ ended }) => ended.then(whenEnded)).catch(() => {});
    try {
      return await announcing;
    } catch (error) {
      await giveUp();
      throw error;
    }
  }

  return {
    endpoint() {
      current ??= find().catch((error: unknown) => {
        current = undefined;
        throw error;
      });
      return current;
    },
    lost(endpoint) {
      const known = current;
      void known?.then(
        (each) => {
          if (each === endpoint && current === known) current = undefined;
        },
        () => {},
      );
    },
    async close() {
      isClosed = true;
      await current?.catch(() => {});
      await giveUp();
    },
  };
}
