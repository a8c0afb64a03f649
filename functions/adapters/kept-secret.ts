// A secret of Secrets Manager, cached for some minutes: reading it at each attempt would cost more than the attempt.
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

export interface KeptSecretOptions {
  readonly client: SecretsManagerClient;
  readonly secretId: string;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

export interface KeptSecret {
  /** The current version's text. @throws Error if there is none */
  current(): Promise<string>;
  /** The current version, then the previous one if there is one. @throws Error if there is no current one */
  versions(): Promise<readonly string[]>;
  /** Makes the next call read the secret again, unless it was read just before. */
  expire(): void;
}

/** After a rotation, every sender signs with both versions by this time. */
const KEPT_MS = 300_000;
/** A receiver that answers 401 to everything must not cost a read for each event. */
const READ_AGAIN_AFTER_MS = 10_000;

export function createKeptSecret({ client, secretId, now }: KeptSecretOptions): KeptSecret {
  let kept: { readonly versions: Promise<readonly string[]>; readonly readAt: number } | undefined;
  let isExpired = false;

  async function read(): Promise<readonly string[]> {
    // In this order: if a rotation falls between the two, the version that was current is still among them.
    const current = await readVersion(client, secretId, 'AWSCURRENT');
    const previous = await readVersion(client, secretId, 'AWSPREVIOUS');
    if (current === undefined) throw new Error(`The secret ${secretId} has no value: store its text.`);
    return previous === undefined || previous === current ? [current] : [current, previous];
  }

  function versions(): Promise<readonly string[]> {
    const age = kept === undefined ? Number.POSITIVE_INFINITY : now() - kept.readAt;
    if (kept !== undefined && age < (isExpired ? READ_AGAIN_AFTER_MS : KEPT_MS)) return kept.versions;
    isExpired = false;
    const reading = { versions: read(), readAt: now() };
    kept = reading;
    // A failure is not kept: the next attempt reads again.
    reading.versions.catch(() => {
      if (kept === reading) kept = undefined;
    });
    return reading.versions;
  }

  return {
    versions,
    async current() {
      const [current = ''] = await versions();
      return current;
    },
    expire() {
      isExpired = true;
    },
  };
}

/** @returns undefined if the secret has no such version */
async function readVersion(
  client: SecretsManagerClient,
  SecretId: string,
  VersionStage: string,
): Promise<string | undefined> {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId, VersionStage }));
    return SecretString?.trim() || undefined;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
