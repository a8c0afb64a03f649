// The feed that all pages of the console share, with the console's options.
import type { Moments } from '../cli/moments.ts';
import type { OpenFeed } from '../place/open-feed.ts';
import type { AccessOptions } from '../place/service-access.ts';
import { type DeploymentParts, openDeploymentParts } from '../status/deployment-parts.ts';
import { sentenceOf } from '../status/format-status.ts';
import { type FeedVerdict, judgeFeed } from '../status/judge-feed.ts';
import { loadOverview, type Overview } from '../status/load-overview.ts';

export interface ServedFeed extends OpenFeed {
  readonly moments: Moments;
  /** For requests to the service. */
  readonly access: AccessOptions;
  /** Whether pages have buttons that change the feed (`--act`). */
  readonly acts: boolean;
}

export interface Judged {
  readonly overview: Overview;
  readonly verdict: FeedVerdict;
}

export interface ConsoleFeed extends ServedFeed, DeploymentParts {
  /** Loads the overview and judges it. */
  judge(): Promise<Judged>;
  /** A sentence for each problem, the worst first, as of the last half minute. */
  listProblems(): Promise<readonly string[]>;
}

/** The header of a page that is not about problems need not cost more reads. */
const HEADER_MS = 30_000;

export function createConsoleFeed(served: ServedFeed): ConsoleFeed {
  const { clock, flags, moments } = served;
  const feed = { ...served, ...openDeploymentParts(served, moments) };
  let last: { readonly problems: Promise<readonly string[]>; readonly at: number } | undefined;
  function judge(): Promise<Judged> {
    const judged = loadOverview(feed, moments.now()).then((overview) => ({
      overview,
      verdict: judgeFeed(overview, clock.now(), flags),
    }));
    const problems = judged.then(({ verdict }) => verdict.concerns.map((each) => sentenceOf(each, moments)));
    // The page reports a failure; the problems are left out.
    last = { problems: problems.catch(() => []), at: moments.now() };
    return judged;
  }
  return {
    ...feed,
    judge,
    async listProblems() {
      if (last === undefined || moments.now() - last.at >= HEADER_MS) await judge().catch(() => {});
      return last?.problems ?? [];
    },
  };
}

/** The path of a return's page. */
export function pathOfReturn(source: string, returnGroupId: number): string {
  return `/returns/${encodeURIComponent(source)}/${returnGroupId}`;
}
