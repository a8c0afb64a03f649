// A source's token, read anew on each call: the caller caches it and knows when to drop it.
import type { KMSClient } from '@aws-sdk/client-kms';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { TokenPlace } from './dynamodb-source-directory.ts';
import { decryptToken, type TokenContext } from './encrypted-token.ts';

export interface TokenClients {
  readonly secretsManager: SecretsManagerClient;
  readonly ssm: SSMClient;
  readonly kms: KMSClient;
}

/** @throws Error that names the place if it holds no token */
export async function readStoredToken(
  clients: TokenClients,
  place: TokenPlace,
  context: TokenContext,
): Promise<string> {
  const { name, token } = await readPlace(clients, place, context);
  if (token?.trim()) return token;
  throw new Error(`There is no token in ${name}: store the token as its whole text.`);
}

async function readPlace(
  { secretsManager, ssm, kms }: TokenClients,
  place: TokenPlace,
  context: TokenContext,
) {
  if ('secretId' in place) {
    const { SecretString } = await secretsManager.send(
      new GetSecretValueCommand({ SecretId: place.secretId }),
    );
    return { name: place.secretId, token: SecretString };
  }
  if ('parameter' in place) {
    const { Parameter } = await ssm.send(
      new GetParameterCommand({ Name: place.parameter, WithDecryption: true }),
    );
    return { name: place.parameter, token: Parameter?.Value };
  }
  const token = await decryptToken(kms, context, place.encrypted);
  return { name: `the entry of source ${context.settings.name}`, token };
}
