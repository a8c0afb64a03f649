// The secret that signs forwarded events. A data directory keeps one, so that a receiver need not be configured again at
// each start.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import { codeOf, refuseForeignFiles } from '../store/data-directory.ts';

const FILE = 'forward-secret';
const SECRET_BYTES = 32;

/**
 * Returns the kept secret, or makes one and keeps it.
 *
 * @param dataDir a directory that was prepared; undefined for a secret that lasts as long as the process
 * @throws Error if the kept secret is invalid or can't be read
 */
export async function findForwardSecret(dataDir: string | undefined): Promise<string> {
  const fresh = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (dataDir === undefined) return fresh;
  try {
    await writeFile(join(dataDir, FILE), `${fresh}\n`, { flag: 'wx', mode: 0o600 });
    return fresh;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return readForwardSecret(dataDir);
}

/** @throws Error if the directory keeps none, an invalid one, or one that others may have put there */
export async function readForwardSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE);
  const read = async () => {
    await refuseForeignFiles(dataDir);
    return readFile(file, 'utf8');
  };
  const kept = await read().catch((cause: unknown) => {
    if (codeOf(cause) !== 'ENOENT') throw cause;
    throw new Error(
      `${dataDir} keeps no secret: "watch --forward-to" makes one there, unless it is given one.`,
      {
        cause,
      },
    );
  });
  try {
    parseSigningSecret(kept.trim());
  } catch (cause) {
    throw new Error(`${file} holds no valid secret. Delete it, and a new one is made.`, { cause });
  }
  return kept.trim();
}
