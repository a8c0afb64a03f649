// The token in use with what goes with it: the client that sends it, the budget that is counted for it and the hash
// that answers are known by. Kept
// until the service refuses it; then the secret is looked at again, for it may have been rotated meanwhile.
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import type { Budget } from './budget.ts';
import { TokenUnavailable } from './errors.ts';

export interface Access {
  readonly token: string;
  readonly client: ReturnsServiceClient;
  readonly budget: Budget;
  /** Of the address and the token: what was seen with another one may be another store. */
  readonly accessHash: string;
}

export interface AccessOptions {
  /** The source's client for a token; called whenever the secret holds another one. */
  readonly client: (token: string) => ReturnsServiceClient;
  /** Likewise. A token that was rotated has a budget of its own, as it has at the service. */
  readonly budget: (token: string) => Budget;
  /** Hashes the source's address with a token, one way. */
  readonly hashAccess: (token: string) => string;
  /** Reads the token anew at each call, past any cache. */
  readonly secret: { read(): Promise<string> };
}

export interface AccessKeeper {
  /** @throws {TokenUnavailable}, and what making the client throws; the next call tries again. */
  current(): Promise<Access>;
  /** Reads the secret again; undefined if it still holds the token that was refused. */
  renew(refused: Access): Promise<Access | undefined>;
  /** Makes the next call read the secret before anything is sent. */
  forget(): void;
}

export function createAccessKeeper({ client, budget, hashAccess, secret }: AccessOptions): AccessKeeper {
  let entry: Promise<Access> | undefined;
  let last: Access | undefined;

  async function read(): Promise<Access> {
    // One token in two secrets has one budget, also where one of them ends in a newline.
    const token = (await readSecret(secret)).trim();
    // The same token goes on with what its budget has seen.
    if (last?.token !== token) {
      last = { token, client: client(token), budget: budget(token), accessHash: hashAccess(token) };
    }
    return last;
  }

  function keep(reading: Promise<Access>): Promise<Access> {
    entry = reading;
    // What failed is not kept; whoever waits for it hears of it.
    reading.catch(() => {
      if (entry === reading) entry = undefined;
    });
    return reading;
  }

  return {
    current: () => entry ?? keep(read()),
    async renew(refused) {
      const kept = await entry;
      // Another request was refused as well and has renewed it already.
      if (kept !== undefined && kept.token !== refused.token) return kept;
      const renewed = await keep(read());
      return renewed.token === refused.token ? undefined : renewed;
    },
    forget() {
      entry = undefined;
    },
  };
}

/** How a secret store names its failures, such as `ResourceNotFoundException`. */
const FAILURE_NAME = /^[A-Z][A-Za-z]{5,60}$/;

/** What the store itself says stays in the cause: the message is published, and may not quote a secret. */
async function readSecret(secret: AccessOptions['secret']): Promise<string> {
  try {
    return await secret.read();
  } catch (cause) {
    const name = cause instanceof Error && FAILURE_NAME.test(cause.name) ? ` (${cause.name})` : '';
    throw new TokenUnavailable(
      `The source's token can't be read${name}: check that its secret exists, holds the token and may be read by the poller.`,
      { cause },
    );
  }
}
