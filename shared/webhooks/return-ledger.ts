// What the sender of whole returns reads instead of the ledger: at most one message of a return, made when it is read. So
// nothing waiting is stored, a receiver that was away gets each changed return once, and all else about delivery is as
// for events.
import type { FeedEvent } from '../contract/event.ts';
import type { Ledger, LedgerEntry } from '../ports.ts';
import type { RelayPorts } from '../publishing/lane.ts';
import { type ReadReturn, type ReturnPorts, readReturn } from '../whole-returns/read-return.ts';

export interface ReturnLedgerPorts extends ReturnPorts {
  readonly ledger: Ledger;
}

/** Returns the ports of a relay that sends a return's message. Its number is that of the last event in it. */
export function createReturnLedger(
  ports: ReturnLedgerPorts,
): Pick<RelayPorts, 'ledger' | 'admits' | 'passesGaps'> {
  let last: ReadReturn | undefined;
  return {
    passesGaps: true,
    admits: () => last?.isAdmitted === true,
    ledger: {
      ...ports.ledger,
      async read(key, mark) {
        last = await readReturn(ports, key, mark);
        return last === undefined ? [] : [entryOf(last)];
      },
    },
  };
}

/** A relay only carries it. */
function entryOf({ message }: ReadReturn): LedgerEntry {
  return { sequence: message.data.sequence, event: message as unknown as FeedEvent };
}
