// Both stages of infra/stages.ts with one subscriber of each kind, and the sample warehouse behind the ordered topic in
// one stage and behind the bus in the other. The returns service and the webhooks' receiver are on this machine.
import { type App, CfnResource, Duration, type Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import { type KeptTables, ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { SampleWarehouse } from '../../infra/sample-warehouse.ts';
import { SampleWarehouseStack } from '../../infra/sample-warehouse-stack.ts';
import { STAGES, type Stage } from '../../infra/stages.ts';
import type { Webhook } from '../../infra/webhook.ts';
import type { WebhookOptions } from '../../infra/webhook-options.ts';
import { BUS_SOURCE } from '../../shared/contract/event-pattern.ts';
import { newApp } from '../infra/new-app.ts';

export const TOKEN_SECRET = 'returns-feed/acme';
/** Of the sample warehouse behind the bus: the time in which a busy machine handles all events of the stories. */
const TIME_LIMIT_SECONDS = 60;
/** The time after which a killed function's tick, lease and messages are free again. */
const LONGEST_WORK_SECONDS = 20;

export interface Addresses {
  readonly returnsUrl: string;
  readonly receiverUrl: string;
}

/** The tables that a stage continues with, by its stack's name. */
export type KeptByStage = Readonly<Record<string, KeptTables>>;

export interface Variations {
  /** Whether production has one subscriber more, as after an update. @default false */
  readonly withLateSubscriber?: boolean;
  /** @default none */
  readonly kept?: KeptByStage;
}

/** @returns the directory of the assembly */
export function synthesizeStages(
  { returnsUrl, receiverUrl }: Addresses,
  { withLateSubscriber = false, kept = {} }: Variations = {},
): string {
  // MiniStack does not know Fn::GetStackOutput, the newest way for one stack to refer to another.
  const app = newApp({ '@aws-cdk/core:defaultCrossStackReferences': 'strong' });
  for (const stage of Object.values(STAGES)) {
    const stack = new ReturnsFeedStack(app, {
      ...{ ...stage, addSources: true, pull: true },
      ...(kept[stage.stackName] && { tables: kept[stage.stackName] }),
      sources: stage.sources.map((source) => ({
        ...source,
        ...{ baseUrl: returnsUrl, tokenSecret: TOKEN_SECRET },
        ...{ interval: Duration.seconds(5), requestsPerMinute: 300 },
      })),
    });
    addSubscribers(stack, `${receiverUrl}/${stage.stackName}`);
    if (withLateSubscriber && stage === STAGES.production) stack.feed.addOrderedQueue('Late');
    addSampleWarehouse(stack, stage);
  }
  adapt(app);
  app.synth();
  return app.outdir;
}

function addSubscribers(stack: ReturnsFeedStack, webhookUrl: string): void {
  const { feed } = stack;
  feed.addOrderedSubscriber(printing(stack, 'Hello'));
  feed.addOrderedQueue('Erp');
  feed.addOrderedQueue('Parcels', { filter: { entities: ['shipment'] } });
  addFilters(stack);
  feed.onChange('Arrived', { entity: 'shipment', to: 'DELIVERED', target: printing(stack, 'OnArrival') });
  new events.Rule(stack, 'Everything', {
    eventBus: feed.bus as events.IEventBus,
    eventPattern: { source: events.Match.prefix(`${BUS_SOURCE}.`) },
    targets: [
      new targets.SqsQueue(new sqs.Queue(stack, 'Collected', { enforceSSL: true }) as sqs.IQueue, {
        message: events.RuleTargetInput.fromObject({
          kind: events.EventField.fromPath('$.detail-type'),
          event: events.EventField.fromPath('$.detail'),
        }),
      }),
    ],
  });
  const requestTimeout = Duration.seconds(2);
  const { signingSecret: secret } = postTo(webhookUrl, stack, 'Wms', { requestTimeout });
  postTo(`${webhookUrl}/returns`, stack, 'Returns', { requestTimeout, secret, shape: 'return' });
}

/** Adds a webhook whose receiver has no public address. */
function postTo(
  webhookUrl: string,
  stack: ReturnsFeedStack,
  id: string,
  options: Omit<WebhookOptions, 'url'>,
): Webhook {
  const url = 'https://wms.example.com/hook';
  const webhook = stack.feed.addWebhook(id, { ...options, url });
  const record = webhook.node.findChild('Record').node.defaultChild as ssm.CfnParameter;
  const value = JSON.stringify(stack.resolve(record.value))
    .replace(url, webhookUrl)
    .replace('addresses\\":\\"public', 'addresses\\":\\"any');
  record.addPropertyOverride('Value', JSON.parse(value));
  for (const { function: fn } of [webhook.sender, webhook.sweep]) {
    fn.addEnvironment('ADDRESSES', 'any');
    fn.addEnvironment('WEBHOOK_URL', webhookUrl);
  }
  return webhook;
}

/** The same two filters behind the ordered topic and on the bus. */
function addFilters(stack: ReturnsFeedStack): void {
  const { feed } = stack;
  const onBus = (id: string) => ({
    entity: 'return_line_item' as const,
    target: new targets.SqsQueue(new sqs.Queue(stack, id, { enforceSSL: true }) as sqs.IQueue, {
      message: events.RuleTargetInput.fromEventPath('$.detail'),
    }),
  });
  feed.addOrderedQueue('Canceled', { filter: { from: ['OPEN'], to: ['CANCELED'] } });
  feed.onChange('Canceled', { ...onBus('CanceledOnBus'), from: 'OPEN', to: 'CANCELED' });
  feed.addOrderedQueue('Recounted', { filter: { changed: ['quantity'] } });
  feed.onChange('Recounted', { ...onBus('RecountedOnBus'), changed: 'quantity' });
}

function addSampleWarehouse(stack: ReturnsFeedStack, stage: Stage): void {
  const { feed } = stack;
  if (stage.sampleWarehouse !== undefined) new SampleWarehouseStack(stack.node.root, feed, stage);
  else
    new SampleWarehouse(stack, 'Warehouse', {
      ...{ feed, subscribeTo: 'bus', timeLimit: Duration.seconds(TIME_LIMIT_SECONDS) },
      removalPolicy: stage.removalPolicy,
    });
}

/** The function of docs/deploying.md; it accepts events of a queue and of the bus. */
function printing(stack: Stack, id: string): lambda.Function {
  return new lambda.Function(stack, id, {
    runtime: lambda.Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline(`exports.handler = async ({ Records, detail }) => {
      for (const { body } of Records ?? [{ body: JSON.stringify(detail) }]) console.log(JSON.parse(body).id);
      return { batchItemFailures: [] };
    }`),
  });
}

/** Removes the one type that MiniStack does not know, and shortens what a killed function leaves behind. */
function adapt(app: App): void {
  for (const it of app.node.findAll()) {
    if (!CfnResource.isCfnResource(it)) continue;
    if (it.cfnResourceType === 'AWS::Events::Archive') it.node.scope?.node.tryRemoveChild(it.node.id);
    if (it instanceof lambda.CfnFunction) it.timeout = Math.min(it.timeout ?? 3, LONGEST_WORK_SECONDS);
    if (it instanceof sqs.CfnQueue && it.visibilityTimeout !== undefined)
      it.visibilityTimeout = LONGEST_WORK_SECONDS;
  }
}
