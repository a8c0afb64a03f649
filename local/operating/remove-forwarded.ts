// Removes a URL to which `watch` forwards, or forwarded, from a data directory, with its marks.
import { UsageError } from '../cli/failures.ts';
import type { ForwardedUrl } from '../store/documents.ts';
import type { LocalStore } from '../store/open-store.ts';
import { watchHolder } from '../store/watch-lock.ts';

/**
 * @param named the id, or the address as `status` shows it
 * @throws UsageError that lists the known ones; for a URL that a running `watch` forwards to
 */
export async function findForwarded(
  { forwards }: Pick<LocalStore, 'forwards'>,
  named: string,
  dataDir: string,
): Promise<ForwardedUrl> {
  const all = await forwards.list();
  const [url, other] = all.filter(({ id, address }) => id === named || address === named);
  const known = all.map(({ id, address }) => `${id} (${address})`).join(', ');
  if (url === undefined)
    throw new UsageError(
      `There is no webhook "${named}"; ${known === '' ? 'there is none' : `there are ${known}`}.`,
    );
  if (other !== undefined) throw new UsageError(`Several webhooks have this address: name one of ${known}.`);
  const holder = url.isDropped ? undefined : await watchHolder(dataDir);
  if (holder === undefined) return url;
  throw new UsageError(
    `"watch"${holder.pid === undefined ? '' : ` (process ${holder.pid})`} forwards to ${url.address}: end it, and start ` +
      'it without this URL.',
  );
}

export async function removeForwarded(
  { forwards, removeDestination }: Pick<LocalStore, 'forwards' | 'removeDestination'>,
  { id }: ForwardedUrl,
): Promise<void> {
  await forwards.replace((await forwards.list()).filter((each) => each.id !== id));
  await removeDestination(id);
}
