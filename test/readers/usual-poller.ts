// The readers that most consumers of a service without webhooks write first. The usual one requests at each poll
// everything updated since 30 s before the newest known stamp; the simplest one requests the whole list.
import type { AskPage, ReaderClock, ReadRow } from './paced-client.ts';

export type OrdinaryKind = 'usual' | 'whole-list';

export const ORDINARY_KINDS: readonly OrdinaryKind[] = ['usual', 'whole-list'];

const LOOKBACK_MS = 30_000;
/** More than the maximum of any service in use, so that pages are as large as possible. */
const ASKED_ROWS = 250;
const MOST_PAGES = 10_000;

/** @returns one poll */
export function createUsualPoller(
  kind: OrdinaryKind,
  ask: AskPage,
  clock: ReaderClock,
  learn: (entity: string, state: string, at: number) => void,
): () => Promise<void> {
  let newest = clock.now();

  return async function poll() {
    const since = new Date(newest - LOOKBACK_MS).toISOString();
    let seen = newest;
    await readPages(ask, kind === 'whole-list' ? {} : { min_updated_at: since }, (rows) => {
      for (const { updatedAtMs, states } of rows) {
        seen = Math.max(seen, updatedAtMs);
        for (const [entity, state] of states) learn(entity, state, clock.now());
      }
    });
    newest = seen;
  };
}

/** Every page of a list up to an empty one: a short page may be the result of a clamped limit. */
async function readPages(
  ask: AskPage,
  query: Readonly<Record<string, string>>,
  onPage: (rows: readonly ReadRow[]) => void,
): Promise<void> {
  let offset = 0;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const rows = await ask({ ...query, limit: String(ASKED_ROWS), offset: String(offset) });
    if (rows.length === 0) return;
    onPage(rows);
    offset += rows.length;
  }
}
