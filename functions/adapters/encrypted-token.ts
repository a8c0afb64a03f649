// A token inside its source's entry, encrypted by the feed's key. KMS binds the text to the feed, the source and the
// address: with another of them it can't be decrypted, and the grants of the functions demand them as well. So whoever
// may add a source can't read its token, and can't have it sent to another address.
import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { TOKEN_CONTEXT } from '../../shared/deployment/token-names.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';

export interface TokenContext {
  /** The feed's name. */
  readonly feed: string;
  readonly settings: Pick<SourceSettings, 'name' | 'baseUrl'>;
}

function contextOf({ feed, settings: { name, baseUrl } }: TokenContext) {
  const { protocol, hostname, port } = new URL(baseUrl);
  const scheme = protocol.slice(0, -1);
  const values = { feed, source: name, scheme, host: hostname, port: port || defaultPort(scheme) };
  return values satisfies Record<(typeof TOKEN_CONTEXT)[number], string>;
}

function defaultPort(scheme: string): string {
  return scheme === 'https' ? '443' : '80';
}

/** @returns the encrypted token in base64 */
export async function encryptToken(
  { client, keyId }: { readonly client: KMSClient; readonly keyId: string },
  context: TokenContext,
  token: string,
): Promise<string> {
  const encrypted = await client.send(
    new EncryptCommand({
      ...{ KeyId: keyId, EncryptionContext: contextOf(context) },
      Plaintext: new TextEncoder().encode(token),
    }),
  );
  return Buffer.from(encrypted.CiphertextBlob ?? []).toString('base64');
}

/** @throws what KMS throws: for another context as well as for a text that is none of its */
export async function decryptToken(
  client: KMSClient,
  context: TokenContext,
  encrypted: string,
): Promise<string> {
  const { Plaintext } = await client.send(
    new DecryptCommand({
      CiphertextBlob: Buffer.from(encrypted, 'base64'),
      EncryptionContext: contextOf(context),
    }),
  );
  return new TextDecoder().decode(Plaintext);
}
