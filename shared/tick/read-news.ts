// Reads the newest rows once in each interval, also while a poll's proof or a walk takes longer than that. News wait for
// the request under way, and for the requests that a walk is owed after the last news. After a poll that got no answer
// they wait as long as the next poll.
import { type Instant, MILLISECOND } from '../instant.ts';
import { forgetLateness, readNews } from '../reading/news.ts';
import { stampsTime } from '../reading/stamps-clock.ts';
import { rowsOfPage } from './known-pieces.ts';
import { nextInRhythm } from './next-in-rhythm.ts';
import { pollsByWalk } from './poll-by-walk.ts';
import type { TickRun } from './tick-run.ts';

export interface News {
  /** By the elapsed clock; infinite before the first news: until then polls find so little that they read it at once. */
  dueAt(): number;
  isDue(): boolean;
  /**
   * Reads from a little before where the last news ended: by as much as changes have shown late (news.ts).
   *
   * @param since where to begin if no news were read before
   * @returns the requests
   */
  read(since: Instant): Promise<number>;
}

export function createNews(run: TickRun): News {
  const { session } = run;
  const { clock, serviceClock, settings } = session;
  const now = () => serviceClock.now().atLeast;
  const dueAt = () =>
    session.news.readThrough === undefined ? Number.POSITIVE_INFINITY : session.news.dueAt;
  return {
    dueAt,
    isDue: () => clock.elapsed() >= dueAt(),
    async read(since) {
      session.news.dueAt = nextInRhythm(
        session.news.dueAt,
        clock.elapsed(),
        settings.intervalMs * MILLISECOND,
      );
      const begunAt = stampsTime(run.stamps, now());
      const { readThrough, lateness } = session.news;
      forgetLateness(session.news);
      const from = readThrough === undefined ? since : readThrough - lateness;
      const { isUnordered } = session.list;
      const isByWalk = isUnordered && pollsByWalk(run);
      const requests = await readNews(Math.max(from, run.state.settledThrough), {
        fetch: run.fetchAndLearn('poll'),
        take: run.recorder('poll').take,
        stamps: () => run.stamps,
        now,
        // In a list without order each further page has fewer new rows; a sweep's pages have more.
        maxPages: isByWalk ? 1 : undefined,
        // A full page can be recognized only if it is known how long pages get.
        inParts:
          isUnordered && !isByWalk && session.list.fullPage !== undefined
            ? { fullPage: rowsOfPage(run), memory: session.news }
            : undefined,
      });
      session.news.readThrough = begunAt;
      return requests;
    },
  };
}
