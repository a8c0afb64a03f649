// The address and the token of the service, for commands that send requests to it.
import { parseBaseUrl } from '../../shared/returns-service/base-url.ts';
import { messageOf, UsageError } from './failures.ts';

export const TOKEN_VARIABLE = 'RETURNS_API_TOKEN';

/** @throws UsageError */
export function readToken(environment: Readonly<Record<string, string | undefined>>): string {
  const token = environment[TOKEN_VARIABLE]?.trim();
  if (!token) throw new UsageError(`Set the service's token in the environment variable ${TOKEN_VARIABLE}.`);
  return token;
}

/** The token that {@link readToken} has read, as a source's secret. */
export function tokenInEnvironment(token: string) {
  return {
    place: 'the environment',
    refused:
      `The service refuses the token in ${TOKEN_VARIABLE}, or a firewall before it refuses this machine. Set the ` +
      'variable to a token that this service accepts, or have the machine admitted, then run the command again.',
    read: async () => token,
  };
}

/** @throws UsageError */
export function readBaseUrl(text: string): string {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
