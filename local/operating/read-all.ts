import { RELAY_READ_EVENTS } from '../../shared/limits.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../../shared/ports.ts';

/** All entries of a group that the ledger holds, in order. */
export async function readAll(ledger: Pick<Ledger, 'read'>, key: GroupKey): Promise<LedgerEntry[]> {
  const all: LedgerEntry[] = [];
  for (;;) {
    const some = await ledger.read(key, all.at(-1)?.sequence ?? 0, RELAY_READ_EVENTS);
    all.push(...some);
    if (some.length < RELAY_READ_EVENTS) return all;
  }
}
