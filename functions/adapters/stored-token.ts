// A source's token, read anew each time it is asked for: who remembers it knows when to forget it.
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { TokenPlace } from './ssm-source-directory.ts';

export interface TokenClients {
  readonly secretsManager: SecretsManagerClient;
  readonly ssm: SSMClient;
}

/** @throws Error that names the place where there is no token */
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
  throw new Error(`There is no token in ${'secretId' in place ? place.secretId : place.parameter}.`);
}
