// The destination that `--to` names: one of the feed's, or a webhook of the deployment.
import { DESTINATION_NAMES, type DestinationName } from '../../shared/deployment/destinations.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { UsageError } from '../cli/failures.ts';
import type { Deployment } from './find-deployment.ts';
import { listWebhooks } from './webhook-records.ts';

export type NamedDestination =
  | { readonly destination: DestinationName }
  | { readonly webhook: WebhookRecord };

/** @throws UsageError that lists the known ones */
export async function nameDestination(deployment: Deployment, name: string): Promise<NamedDestination> {
  if (isDestinationName(name)) return { destination: name };
  const records = await listWebhooks(deployment);
  const webhook = records.find(({ id }) => id === name);
  if (webhook !== undefined) return { webhook };
  const known = [...DESTINATION_NAMES, ...records.map(({ id }) => id)];
  const hint =
    deployment.webhooksPath === undefined
      ? "; for webhooks the command needs the stack's output WebhooksPath or the variable WEBHOOKS_PATH"
      : '';
  throw new UsageError(`There is no destination "${name}"; there are ${known.join(', ')}${hint}.`);
}

function isDestinationName(name: string): name is DestinationName {
  return (DESTINATION_NAMES as readonly string[]).includes(name);
}
