// The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, as Node's agents read them (from Node 24.5 on; older ones
// ignore the option).
import { isLoopback } from '../../shared/returns-service/base-url.ts';

/** The option of an agent for requests to this URL: none for the machine itself, which no proxy reaches. */
export function environmentProxy({ hostname }: URL): { readonly proxyEnv?: NodeJS.ProcessEnv } {
  return isLoopback(hostname) ? {} : { proxyEnv: process.env };
}

/** Whether a proxy is named for a URL with https; undefined where none can be used. */
export function hasProxy({ hostname }: URL): boolean | undefined {
  if (isLoopback(hostname) || !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) return undefined;
  const { https_proxy: lower, HTTPS_PROXY: upper } = process.env;
  return (lower ?? upper ?? '') !== '';
}
