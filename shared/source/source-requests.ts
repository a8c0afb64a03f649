// The requests to one source: with its token, within its budget, at its address.
import type { SourceSecret } from '../pacing/access.ts';
import type { Bucket } from '../pacing/bucket.ts';
import { createRequests, type Requests } from '../pacing/requests.ts';
import type { Clock, Log } from '../ports.ts';
import { parseBaseUrl } from '../returns-service/base-url.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import type { SourceSettings } from './source-settings.ts';

export interface SourceRequestsOptions {
  readonly settings: Pick<SourceSettings, 'baseUrl'>;
  readonly requestsPerMinute: number;
  /** The budget, if it is counted elsewhere. @default a bucket of `requestsPerMinute` */
  readonly bucket?: Bucket | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly client: (token: string) => ReturnsServiceClient;
  readonly secret: SourceSecret;
  /** A one-way hash: sources are recognized by that of address and token. */
  readonly hashToken: (token: string) => string;
  /** By {@link Clock.elapsed}: nothing is sent after this moment. */
  readonly deadline: () => number;
  /** Ends all waiting when aborted. */
  readonly signal?: AbortSignal | undefined;
}

export function createSourceRequests(options: SourceRequestsOptions): Requests {
  const { settings, hashToken } = options;
  return createRequests({
    ...options,
    hashAccess: (token) => hashOfAccess(hashToken, settings.baseUrl, token),
  });
}

/** The hash by which an address with its token is known. */
export function hashOfAccess(hashToken: (text: string) => string, baseUrl: string, token: string): string {
  return hashToken(`${parseBaseUrl(baseUrl)} ${token}`);
}
