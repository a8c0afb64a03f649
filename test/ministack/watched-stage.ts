// A deployed stage, with all that its subscribers received.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { type ReturnChanged, returnChanged } from '../../shared/contract/return-message.ts';
import type { DeployedParts } from '../runbook/resources-called.ts';
import { readDeployed } from './deployed.ts';
import { createQueueReader, type QueueReader } from './queue-reader.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** As the rule's input transformer makes it. */
export interface Transformed {
  readonly kind: string;
  readonly event: FeedEvent;
}

/** The queues of one filter. */
export interface Filtered {
  readonly ordered: QueueReader<FeedEvent>;
  readonly onBus: QueueReader<FeedEvent>;
}

export interface WatchedStage extends DeployedParts {
  readonly name: string;
  /** The ordered queue without a filter. */
  readonly erp: QueueReader<FeedEvent>;
  /** The ordered queue with a filter for shipments. */
  readonly parcels: QueueReader<FeedEvent>;
  /** Items that become CANCELED after OPEN. */
  readonly canceled: Filtered;
  /** Items whose quantity changed. */
  readonly recounted: Filtered;
  /** The queue of the rule for everything on the bus. */
  readonly collected: QueueReader<Transformed>;
  /** The signing secret of the webhook. */
  signingSecret: string;
  /** The state machine of the stage's sample warehouse. */
  readonly workflowArn: string;
  /** The changes of returns that the webhook's receiver accepted. */
  posted(): readonly FeedEvent[];
  /** The whole returns that the receiver of these accepted. */
  postedReturns(): readonly ReturnChanged[];
}

/** @param warehouse the stack of the stage's sample warehouse */
export async function watchStage(
  name: string,
  warehouse: string,
  receiver: WebhookReceiver,
): Promise<WatchedStage> {
  const [deployed, parts] = await Promise.all([readDeployed(name), readDeployed(warehouse)]);
  const { refOf } = deployed;
  const secret = await new SecretsManagerClient().send(
    new GetSecretValueCommand({ SecretId: refOf('AWS::SecretsManager::Secret', 'WebhooksWms') }),
  );
  const reader = <Message>(id: string) => createQueueReader<Message>(refOf('AWS::SQS::Queue', id));
  const filtered = (id: string) => ({
    ordered: reader<FeedEvent>(`${id}Queue`),
    onBus: reader<FeedEvent>(`${id}OnBus`),
  });
  return {
    ...{ ...deployed, name },
    erp: reader('ErpQueue'),
    parcels: reader('ParcelsQueue'),
    canceled: filtered('Canceled'),
    recounted: filtered('Recounted'),
    collected: reader('Collected'),
    workflowArn: parts.refOf('AWS::StepFunctions::StateMachine', 'Parcel'),
    signingSecret: secret.SecretString ?? '',
    posted: () =>
      receiver.accepted.flatMap(({ path, event }) =>
        path === `/${name}` && !event.type.startsWith('feed.') ? [event] : [],
      ),
    postedReturns: () =>
      receiver.accepted.flatMap(({ path, body }) =>
        path === `/${name}/returns` ? [returnChanged.parse(JSON.parse(body))] : [],
      ),
  };
}
