// The secret that signs forwarded events. A data directory keeps one, so that a receiver need not be configured again at
// each start.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import { errorCode } from '../../test/engines/engine-error.ts';

const FILE = 'forward-secret';
const SECRET_BYTES = 32;

/**
 * Returns the kept secret, or makes one and keeps it.
 *
 * @param dataDir an existing directory; undefined for a secret that lasts as long as the process
 * @throws Error if the kept secret is invalid or can't be read
 */
export async function findForwardSecret(dataDir: string | undefined): Promise<string> {
  const fresh = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (dataDir === undefined) return fresh;
  const file = join(dataDir, FILE);
  try {
    await writeFile(file, `${fresh}\n`, { flag: 'wx', mode: 0o600 });
    return fresh;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const kept = (await readFile(file, 'utf8')).trim();
  try {
    parseSigningSecret(kept);
  } catch (cause) {
    throw new Error(`${file} holds no valid secret. Delete it, and a new one is made.`, { cause });
  }
  return kept;
}
