// The parts that a command needs to forward events: the secret, and lines that show each attempt.
import type { ForwardOptions } from '../cli/forward-flags.ts';
import { makeDataDirectory } from '../engines/data-directory.ts';
import type { FeedDisplay } from '../feed/show-feed.ts';
import { findForwardSecret } from './forward-secret.ts';
import type { ForwardingOptions } from './forwarding.ts';

/** @returns undefined if nothing is to be forwarded */
export async function openForwarding(
  { urls, filter, secret }: ForwardOptions,
  dataDir: string | undefined,
  display: FeedDisplay,
): Promise<ForwardingOptions | undefined> {
  if (urls.length === 0) return undefined;
  if (dataDir !== undefined) await makeDataDirectory(dataDir);
  const used = secret ?? (await findForwardSecret(dataDir));
  const hosts = urls.map(({ host }) => host).join(', ');
  // The user's own secret is not shown: it may be in use elsewhere.
  display.log.info(`forwarding to ${hosts}, signed with ${secret === undefined ? used : 'the given secret'}`);
  return { urls, filter, secret: used, onAttempt: display.showDelivery };
}
