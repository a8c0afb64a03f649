/**
 * The limits of the SDK's requests: without them a call that hangs would wait for ever.
 *
 * @param requestTimeout in milliseconds, for a whole request
 */
export function requestLimits(requestTimeout: number) {
  return { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true } as const;
}
