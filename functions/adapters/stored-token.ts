// A source's token, read anew on each call: the caller caches it and knows when to drop it.
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { TokenPlace } from './ssm-source-directory.ts';

export interface TokenClients {
  readonly secretsManager: SecretsManagerClient;
  readonly ssm: SSMClient;
}

/** @throws Error that names the place if it holds no token */
export async function readStoredToken(
  { secretsManager, ssm }: TokenClients,
  place: TokenPlace,
): Promise<string> {
  const token =
    'secretId' in place
      ? (await secretsManager.send(new GetSecretValueCommand({ SecretId: place.secretId }))).SecretString
      : (await ssm.send(new GetParameterCommand({ Name: place.parameter, WithDecryption: true }))).Parameter
          ?.Value;
  if (token?.trim()) return token;
  const name = 'secretId' in place ? place.secretId : place.parameter;
  throw new Error(`There is no token in ${name}: store the token as its whole text.`);
}
