// The token in use, with its client and the hash that identifies its answers. It is used until the service
// refuses it; then the secret is read again, because the token may have been rotated meanwhile.
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import { TokenUnavailable } from './errors.ts';

export interface Access {
  readonly token: string;
  readonly client: ReturnsServiceClient;
  /** Hash of the address and the token: readings with another one may be of another store. */
  readonly accessHash: string;
}

export interface AccessOptions {
  /** Makes the source's client for a token; called whenever the secret holds another one. */
  readonly client: (token: string) => ReturnsServiceClient;
  /** Hashes the source's address with a token, one way. */
  readonly hashAccess: (token: string) => string;
  readonly secret: SourceSecret;
}

/** The place of a source's token. */
export interface SourceSecret {
  /** Reads the token anew at each call, bypassing any cache. */
  read(): Promise<string>;
  /** The message if the service refuses the token, with the remedy. Published: it names no secret. */
  readonly refused?: string;
}

export interface AccessKeeper {
  /** @throws {TokenUnavailable}, and errors from making the client; the next call tries again */
  current(): Promise<Access>;
  /** Reads the secret again; undefined if it still holds the refused token. @throws as {@link current} */
  renew(refused: Access): Promise<Access | undefined>;
  /** Makes the next call read the secret before anything is sent. */
  forget(): void;
}

export function createAccessKeeper({ client, hashAccess, secret }: AccessOptions): AccessKeeper {
  let entry: Promise<Access> | undefined;
  let last: Access | undefined;

  async function read(): Promise<Access> {
    // A secret may end in a newline.
    const token = (await readSecret(secret)).trim();
    if (last?.token !== token) last = { token, client: client(token), accessHash: hashAccess(token) };
    return last;
  }

  function keep(reading: Promise<Access>): Promise<Access> {
    entry = reading;
    // A failed read is not kept; its callers get the error.
    reading.catch(() => {
      if (entry === reading) entry = undefined;
    });
    return reading;
  }

  return {
    current: () => entry ?? keep(read()),
    async renew(refused) {
      const kept = await entry;
      // Another request was refused as well and has already renewed it.
      if (kept !== undefined && kept.token !== refused.token) return kept;
      const renewed = await keep(read());
      return renewed.token === refused.token ? undefined : renewed;
    },
    forget() {
      entry = undefined;
    },
  };
}

/** The form of a secret store's error names, such as `ResourceNotFoundException`. */
const FAILURE_NAME = /^[A-Z][A-Za-z]{5,60}$/;

/** The store's own message stays in the cause: this message is published and must not quote a secret. */
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
