// A start of `watch` notes in its directory, for `status`, the console and the next start, the options of the command line
// and the URLs that get events. A URL that is left out while it lacks events stays until an operator removes it.
import type { Log } from '../../shared/ports.ts';
import { counted } from '../cli/counts.ts';
import { describeDropped } from '../cli/given-options.ts';
import { shellWord } from '../cli/shell-word.ts';
import { shownUrl } from '../cli/shown-url.ts';
import type { ForwardedUrl, GivenOption } from '../store/documents.ts';
import type { LocalStore } from '../store/open-store.ts';
import type { Unsent } from '../store/unsent.ts';
import { type ForwardTarget, forwardId } from './forwarder.ts';

/** Logs which options of the last start are dropped or changed. */
export async function noteOptions(
  { starts }: Pick<LocalStore, 'starts'>,
  source: string,
  given: readonly GivenOption[],
  log: Log,
): Promise<void> {
  const before = await starts.load(source);
  const dropped = describeDropped(before?.options ?? [], given);
  if (dropped !== undefined) log.warn(`Other options than at the last start: ${dropped}.`);
  await starts.save(source, { options: [...given] });
}

/** Notes that no configuration has the source any more: its state is kept, and nobody has to mend it. */
export async function noteRemoved({ starts }: Pick<LocalStore, 'starts'>, source: string): Promise<void> {
  const { options = [] } = (await starts.load(source)) ?? {};
  await starts.save(source, { options, isRemoved: true });
}

/** Logs which URLs get no events any more and lack some. */
export async function noteForwards(
  store: LocalStore,
  receivers: readonly Pick<ForwardTarget, 'url' | 'filter' | 'shape'>[],
  dataDir: string,
  log: Log,
): Promise<void> {
  const before = await store.forwards.list();
  const noted: ForwardedUrl[] = receivers.map(({ url, filter, shape }) => ({
    ...{ id: forwardId(url), address: shownUrl(url) },
    ...{ filter, shape },
  }));
  for (const left of before.filter(({ id }) => noted.every((each) => each.id !== id))) {
    const unsent = await unsentOf(store, left);
    if (unsent === undefined || unsent.returns === 0) continue;
    noted.push({ ...left, isDropped: true });
    log.warn(
      `${left.address} is left out, and lacks ${counted(unsent.events ?? 0, 'event')} of ` +
        `${counted(unsent.returns, 'return')}. Start again with it; if it needs them no more: ` +
        `npx --no returns-feed webhooks remove ${left.id} --data ${shellWord(dataDir)}`,
    );
  }
  if (noted.length > 0 || before.length > 0) await store.forwards.replace(noted);
}

async function unsentOf(
  { states, sources, endpoints, unsent }: LocalStore,
  { id, filter }: ForwardedUrl,
): Promise<Unsent | undefined> {
  const endpoint = await endpoints.load(id);
  if (endpoint === undefined) return undefined;
  const known = await Promise.all((await sources()).map((name) => states.load(name)));
  const generations = known.filter((state) => state !== undefined);
  return unsent({ destination: id, filter, since: endpoint.startedAt, generations });
}
