// The source's state while a tick works, and the one place that changes it. A save succeeds only if no other process
// saved the state since; otherwise the tick stops at once.
import type { Ledger, SourceStates } from '../ports.ts';
import { publishFeedReports } from '../reporting/feed-reports.ts';
import type { SourceState } from './source-state.ts';

/** Thrown when another process saved the source's state since this one loaded it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface SourceCell {
  /** The source's state. @throws Error before there is one */
  readonly state: SourceState;
  /** The same, undefined before there is one. */
  readonly known: SourceState | undefined;
  /** Sets the state that was loaded or minted. */
  begin(state: SourceState): void;
  update(change: (state: SourceState) => SourceState): void;
  /** Saves the state, then publishes the feed's reports that it holds. @throws LeaseLost */
  save(): Promise<void>;
  /** Checks that no other process has taken the source over. @throws LeaseLost */
  confirm(): Promise<void>;
}

export function createSourceCell(states: Pick<SourceStates, 'load' | 'save'>, ledger: Ledger): SourceCell {
  let known: SourceState | undefined;
  const cell: SourceCell = {
    get state() {
      if (known === undefined) throw new Error('The source has no state yet.');
      return known;
    },
    get known() {
      return known;
    },
    begin(state) {
      known = state;
    },
    update(change) {
      known = change(cell.state);
    },
    async save() {
      const { version } = cell.state;
      const saved = { ...cell.state, version: version + 1 };
      if ((await states.save(saved, version)) === 'conflict') {
        throw leaseLost(saved);
      }
      // Changes made during the save are left to the next one.
      cell.update((state) => ({ ...state, version: saved.version }));
      const { readReportAt } = saved;
      if (saved.feedReports.length === 0 && readReportAt === undefined) return;
      const feedSequence = await publishFeedReports(ledger, saved);
      cell.update((state) => ({
        ...state,
        feedSequence,
        readReportAt: state.readReportAt === readReportAt ? undefined : state.readReportAt,
        feedReports: state.feedReports.slice(saved.feedReports.length),
      }));
    },
    // Not by version: a save of this process may be under way.
    async confirm() {
      const { source, generation, lease } = cell.state;
      const stored = await states.load(source);
      if (stored?.generation !== generation || stored.lease.epoch !== lease.epoch)
        throw leaseLost(cell.state);
    },
  };
  return cell;
}

function leaseLost({ source }: SourceState): LeaseLost {
  return new LeaseLost(`Another process took over source ${source}.`);
}
