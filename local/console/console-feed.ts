// What every page of the console has: the open feed, and how times are shown.
import type { Moments } from '../cli/moments.ts';
import type { OpenFeed } from '../operating/open-feed.ts';
import type { AccessOptions } from '../operating/service-access.ts';
import type { DeploymentParts } from './deployment-parts.ts';

export interface ServedFeed extends OpenFeed {
  readonly moments: Moments;
  /** How the service is asked. */
  readonly access: AccessOptions;
  /** Whether the console may change anything (`--act`). */
  readonly acts: boolean;
}

export interface ConsoleFeed extends ServedFeed, DeploymentParts {}

/** The path of a return's page. */
export function pathOfReturn(source: string, returnGroupId: number): string {
  return `/returns/${encodeURIComponent(source)}/${returnGroupId}`;
}
