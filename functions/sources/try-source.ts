// One request with a source's settings and token, before they are written: it shows a wrong address, a refused token and
// a service that is no returns service.

import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import { InvalidTokenError, ReturnsServiceError } from '../../shared/returns-service/errors.ts';
import type { HttpTransport } from '../../shared/returns-service/http-transport.ts';
import type { GivenSettings } from '../../shared/source/source-settings.ts';
import { UnreadableSourceError } from './source-errors.ts';

/** @throws UnreadableSourceError that says how the service answered */
export async function trySource(
  { name, baseUrl, requestTimeoutMs: timeoutMs }: GivenSettings,
  token: string,
  transport: HttpTransport,
): Promise<void> {
  try {
    const client = createReturnsServiceClient({ baseUrl, token, transport, timeoutMs });
    await client.listReturnGroups({ limit: 1 });
  } catch (error) {
    if (!(error instanceof ReturnsServiceError || error instanceof InvalidTokenError)) throw error;
    throw new UnreadableSourceError(`Source "${name}" can't be read: ${error.message}`, { cause: error });
  }
}
