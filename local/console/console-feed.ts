// The feed that all pages of the console share, with the console's options.
import type { Moments } from '../cli/moments.ts';
import type { OpenFeed } from '../operating/open-feed.ts';
import type { AccessOptions } from '../operating/service-access.ts';
import type { DeploymentParts } from './deployment-parts.ts';

export interface ServedFeed extends OpenFeed {
  readonly moments: Moments;
  /** For requests to the service. */
  readonly access: AccessOptions;
  /** Whether pages have buttons that change the feed (`--act`). */
  readonly acts: boolean;
}

export interface ConsoleFeed extends ServedFeed, DeploymentParts {}

/** The path of a return's page. */
export function pathOfReturn(source: string, returnGroupId: number): string {
  return `/returns/${encodeURIComponent(source)}/${returnGroupId}`;
}
