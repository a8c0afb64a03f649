// What a tick learns from each page about the service: how its stamps run, since when it sends a field, how far its
// lists can be paged. Until the source has a state, the learner keeps these facts. The first state takes over the stamps;
// the rest is learned again.
import { learnFields } from '../comparing/known-fields.ts';
import type { Instant } from '../instant.ts';
import { SHORT_PAGE_ROWS } from '../limits.ts';
import { type DepthKeeper, depthOf, learnDepth, UNKNOWN_DEPTHS } from '../reading/list-depth.ts';
import type { Page } from '../reading/page.ts';
import { learnStamps, UNKNOWN_STAMPS } from '../reading/stamps-clock.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { StampsState } from '../source/source-state.ts';

export interface PageLearner {
  readonly stamps: StampsState;
  readonly depth: DepthKeeper;
  /** The most rows to ask for. */
  readonly pageLimit: { current: number };
  /** A group that this tick has seen. */
  readonly lastSeenId: number | undefined;
  /** @param drift values and fields of the page that the service's document does not list */
  learn(page: Page, drift: readonly string[]): void;
  /** All drift of this tick. */
  drift(): string[];
  /** Since when the group is set aside, also if it became readable in this tick. */
  unreadSince(groupId: number): Instant | undefined;
  /** Whether new fields were learned since the last call. */
  takeNewFields(): boolean;
}

export function createPageLearner(
  session: Pick<SourceSession, 'hasAnswers' | 'serviceClock'>,
  cell: SourceCell,
): PageLearner {
  const drift = new Set<string>();
  const unread = new Map<number, Instant>();
  let first = { stamps: UNKNOWN_STAMPS, listDepths: UNKNOWN_DEPTHS, pageLimit: Number.MAX_SAFE_INTEGER };
  let lastSeenId: number | undefined;
  let hasNewFields = false;

  /** Changes the state, or what the learner keeps until there is one. */
  function note(learned: Partial<typeof first>): void {
    if (cell.known === undefined) first = { ...first, ...learned };
    else cell.update((state) => ({ ...state, ...learned }));
  }

  const current = () => cell.known ?? first;
  const now = () => session.serviceClock.now().atLeast;

  /**
   * Without a Date, `newestReceivedAt` is by the clock of the process that received the stamp, which says nothing
   * here: no time counts as passed since then.
   */
  function anchored(stamps: StampsState, { receivedAt }: Page): StampsState {
    if (session.hasAnswers) return stamps;
    session.hasAnswers = true;
    return session.serviceClock.isKnown() ? stamps : { ...stamps, newestReceivedAt: receivedAt };
  }

  function learnRows({ rows, sentAt }: Page): void {
    cell.update((state) => {
      let { fieldsSince } = state;
      for (const row of rows) {
        if (row.kind === 'readable') fieldsSince = learnFields(fieldsSince, row.group, sentAt);
      }
      hasNewFields ||= fieldsSince !== state.fieldsSince;
      for (const { groupId, since } of state.setAside) if (groupId !== undefined) unread.set(groupId, since);
      const fullPageSeen = state.fullPageSeen || rows.length >= SHORT_PAGE_ROWS;
      const longestPage = Math.max(state.longestPage, rows.length);
      return { ...state, fieldsSince, fullPageSeen, longestPage };
    });
  }

  return {
    get stamps() {
      return current().stamps;
    },
    depth: {
      current: (range) => depthOf(current().listDepths, range, now()),
      learn: (range, change) => note({ listDepths: learnDepth(current().listDepths, range, now(), change) }),
    },
    pageLimit: {
      get current() {
        return current().pageLimit;
      },
      set current(pageLimit) {
        note({ pageLimit });
      },
    },
    get lastSeenId() {
      return lastSeenId;
    },
    learn(page, found) {
      note({ stamps: learnStamps(anchored(current().stamps, page), page.rows, page.receivedAt) });
      for (const finding of found) drift.add(finding);
      const shown = page.rows.find((row) => row.kind === 'readable');
      if (shown?.kind === 'readable') lastSeenId = shown.group.id;
      if (cell.known !== undefined) learnRows(page);
    },
    drift: () => [...drift],
    unreadSince: (groupId) => unread.get(groupId),
    takeNewFields() {
      const had = hasNewFields;
      hasNewFields = false;
      return had;
    },
  };
}
