// Where a deployment's events go, for commands that send some of them again.
import { type OpenDestination, openDestination } from '../../functions/adapters/open-destination.ts';
import type { DestinationName } from '../../shared/deployment/destinations.ts';
import { type Deployment, partOf } from './find-deployment.ts';

const PARTS = { ordered: 'topicArn', bus: 'busName' } as const satisfies Record<DestinationName, string>;

/** @throws UsageError where the deployment does not name it */
export function openDestinationOf(deployment: Deployment, name: DestinationName): OpenDestination {
  return openDestination(name, partOf(deployment, PARTS[name]));
}
