// Long lists, a part at a time. The part is in the page's address, so that it stays the same while the page is updated.
import { formatCount } from '../cli/counts.ts';
import type { PageRequest } from './console-server.ts';
import { type Html, html } from './html.ts';

/** Entries of a list on one page. */
const AT_ONCE = 50;

export interface Part<Entry> {
  readonly entries: readonly Entry[];
  /** Links to the other parts; false if there are none. */
  readonly links: Html | false;
}

interface ListPlace {
  /** Of the page. */
  readonly path: string;
  /** The id of the list's heading. */
  readonly id: string;
  /** The fields that the links keep. */
  readonly kept?: Readonly<Record<string, string>>;
}

/** The part of a list that an address names by its field `page`; the last one if the list has become shorter. */
export function partOf<Entry>(
  list: readonly Entry[],
  { page = '1' }: PageRequest['fields'],
  { path, id, kept }: ListPlace,
): Part<Entry> {
  const last = Math.max(1, Math.ceil(list.length / AT_ONCE));
  const shown = Math.min(last, Math.max(1, Math.floor(Number(page)) || 1));
  const first = (shown - 1) * AT_ONCE;
  const entries = list.slice(first, first + AT_ONCE);
  const link = (to: number, text: string) =>
    to >= 1 &&
    to <= last &&
    html`<a href="${path}?${String(new URLSearchParams({ ...kept, page: String(to) }))}#${id}">${text}</a>`;
  const links = html`<p class="parts">${formatCount(first + 1)} to ${formatCount(first + entries.length)} of ${formatCount(list.length)} ${link(shown - 1, 'Previous')} ${link(shown + 1, 'Next')}</p>`;
  return { entries, links: last > 1 && links };
}
