// One run of a deployed template: the baseline, a change at the service, the sweeps. The result lists each failure of the
// stack in one sentence.
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { ReferenceService } from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { METRICS } from '../../shared/deployment/metrics.ts';
import { TABLES } from '../../shared/deployment/tables.ts';
import { comeDue, MINUTE_MS, SWEEPS, TICKS, thisMinute } from './come-due.ts';
import { type Deployment, type DeployOptions, deploy } from './deployment.ts';
import { idOf, resourcesOf, type Template } from './template.ts';

/** The problems; empty for an undamaged template. */
export interface Watched extends Pick<Deployment, 'deniedBy'> {
  readonly beforeSweeps: readonly string[];
  readonly afterSweeps: readonly string[];
}

export interface WatchOptions extends DeployOptions {
  /** Whether the daily sweeps run as well. */
  readonly withSweeps: boolean;
}

export async function watchAChange(service: ReferenceService, options: WatchOptions): Promise<Watched> {
  const deployment = await deploy(options);
  const { template, withSweeps } = options;
  const minute = thisMinute();
  try {
    await comeDue(deployment, TICKS, minute);
    const { deniedBy } = deployment;
    if (deployment.failures.length > 0) return { ...bothTimes(deployment.failures), deniedBy };
    // Each destination fails once: the missed events are sent again if the mapping enables failure reports.
    deployment.endpoint.failNext(functionId(template, 'RelayToOrdered'), 'AmazonSNS.PublishBatch');
    deployment.endpoint.failNext(functionId(template, 'RelayToBus'), 'AWSEvents.PutEvents');
    const shipment = deliver(service);
    await comeDue(deployment, TICKS, minute + MINUTE_MS);
    const beforeSweeps = await problemsOf(deployment, template, shipment);
    if (!withSweeps || deployment.failures.length > 0) return { ...bothTimes(beforeSweeps), deniedBy };
    await comeDue(deployment, SWEEPS, minute + MINUTE_MS);
    const afterSweeps = await problemsOf(deployment, template, shipment);
    return {
      beforeSweeps,
      afterSweeps: [...afterSweeps, ...silentAlarms(deployment, template, SWEEP_METRICS)],
      deniedBy,
    };
  } finally {
    await deployment.stop();
  }
}

function bothTimes(problems: readonly string[]): Omit<Watched, 'deniedBy'> {
  return { beforeSweeps: [...problems], afterSweeps: [...problems] };
}

async function problemsOf(deployment: Deployment, template: Template, shipment: number): Promise<string[]> {
  return [
    ...deployment.failures,
    ...unlessOnce('ordered subscriber', eventsOf(deployment, 'OrderedSubscriber'), shipment),
    ...unlessOnce('filtered subscriber', eventsOf(deployment, 'FilteredSubscriber'), shipment),
    ...unfilteredEvents(deployment),
    ...(await missingInTheQueue(deployment, template)),
    ...unlessOnce('subscriber of the bus', eventsOnBus(deployment), shipment),
    ...unlessOnce('archive', archivedEvents(deployment), shipment),
    ...atOneGroupTogether(deployment),
    ...(await problemsOfQueues(deployment, template)),
    ...silentAlarms(deployment, template, POLLER_METRICS),
  ];
}

/** Delivers a shipment, and changes its group in other ways as well. @returns the shipment's id */
function deliver({ control }: ReferenceService): number {
  const isOpen = (status: unknown) => status !== undefined && status !== 'DELIVERED';
  const group = control.snapshot().find(({ shipments }) => isOpen(shipments[0]?.status));
  if (group === undefined) throw new Error('The service has no undelivered shipment left.');
  // Makes several events of one group, in one transaction and so in one batch of the stream.
  control.mutate(Number(group.id), (draft) => {
    draft.shipments[0]!.status = 'DELIVERED';
    for (const item of draft.returns) item.quantity = Number(item.quantity) + 1;
  });
  return Number(group.shipments[0]?.id);
}

/** Reports events that the subscription's filter should have excluded. */
function unfilteredEvents(deployment: Deployment): string[] {
  const others = eventsOf(deployment, 'FilteredSubscriber').filter(
    ({ type }) => type !== 'shipment.status_changed',
  );
  return others.length > 0 ? [`The filtered subscriber received ${others.length} other events.`] : [];
}

/** Reports a difference between the queue without a function and the events of the ordered subscriber. */
async function missingInTheQueue(deployment: Deployment, template: Template): Promise<string[]> {
  const held = await deployment.countMessages(idOf(template, 'AWS::SQS::Queue', 'ErpQueue'));
  const received = eventsOf(deployment, 'OrderedSubscriber').length;
  return held === received ? [] : [`The queue of Erp holds ${held} events instead of ${received}.`];
}

function eventsOf(deployment: Deployment, subscriber: string): FeedEvent[] {
  const invocations = deployment.functionWith(subscriber).events as {
    Records: { body: string }[];
  }[];
  return invocations.flatMap(({ Records }) => Records.map(({ body }) => JSON.parse(body)));
}

function eventsOnBus(deployment: Deployment): FeedEvent[] {
  const invocations = deployment.functionWith('BusSubscriber').events as { detail: FeedEvent }[];
  return invocations.map(({ detail }) => detail);
}

function archivedEvents({ archived }: Deployment): FeedEvent[] {
  return (archived as { detail: FeedEvent }[]).map(({ detail }) => detail);
}

function unlessOnce(subscriber: string, events: readonly FeedEvent[], shipment: number): string[] {
  const received = events.filter(
    ({ type, data }) =>
      type === 'shipment.status_changed' && 'id' in data.object && data.object.id === shipment,
  );
  return received.length === 1 ? [] : [`The ${subscriber} received the change ${received.length} times.`];
}

/** Reports relays that handled a group at the same time. That is harmless, but each of them sends the same events. */
function atOneGroupTogether(deployment: Deployment): string[] {
  return ['RelayToOrdered', 'RelayToBus'].flatMap((relay) => {
    const together = deployment
      .functionWith(relay)
      .overlaps.filter(([one, other]) => groupsOf(one).some((group) => groupsOf(other).includes(group)));
    return together.length > 0 ? [`${relay} handled one group several times at once.`] : [];
  });
}

function groupsOf(event: unknown): (string | undefined)[] {
  const { Records } = event as DynamoDBStreamEvent;
  return Records.map(({ dynamodb }) => dynamodb?.Keys?.[TABLES.ledger.partitionKey.name]?.S);
}

async function problemsOfQueues(deployment: Deployment, template: Template): Promise<string[]> {
  const problems: string[] = [];
  for (const [id] of resourcesOf(template, 'AWS::SQS::Queue').filter(([it]) =>
    /DeadLetters|Undelivered/.test(it),
  )) {
    const count = await deployment.countMessages(id);
    if (count > 0) problems.push(`${id} holds ${count} dead letters.`);
  }
  const isPoller = (accessKeyId: string) => accessKeyId === functionId(template, 'PollerFunction');
  const sent = deployment.calls.filter(
    ({ accessKeyId, target }) => isPoller(accessKeyId) && target === 'AmazonSQS.SendMessageBatch',
  ).length;
  // Each of the two minutes has later ticks after 20 and 40 seconds.
  if (sent !== 2) problems.push(`The poller sent the later ticks of ${sent} minutes instead of 2.`);
  return problems;
}

interface MetricLine {
  readonly _aws: { readonly CloudWatchMetrics: readonly MetricDirective[] };
}

interface MetricDirective {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
}

export interface ExpectedMetrics {
  readonly by: readonly string[];
  readonly names: readonly string[];
}

const POLLER_METRICS: ExpectedMetrics = {
  by: ['Poller'],
  names: [METRICS.secondsBehind, METRICS.setAsideGroups, METRICS.holds],
};
const SWEEP_METRICS: ExpectedMetrics = {
  by: ['SweepToOrdered', 'SweepToBus'],
  names: [METRICS.groupsBehind],
};

/** Reports alarms on metrics that these functions must report, but did not. */
export function silentAlarms(
  deployment: Deployment,
  template: Template,
  { by, names }: ExpectedMetrics,
): string[] {
  const reported = new Set(by.flatMap((it) => deployment.functionWith(it).lines.flatMap(metricsOf)));
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(([id, { Properties }]) => {
    const { Namespace, MetricName, Dimensions = [] } = Properties;
    const dimensions = Dimensions.map(({ Name, Value }: { Name: string; Value: string }) => [Name, Value]);
    const isTheirs = !String(Namespace).startsWith('AWS/') && names.includes(MetricName);
    return isTheirs && !reported.has(keyOf(Namespace, MetricName, dimensions))
      ? [`Nothing reports ${MetricName}, which the alarm ${id} waits for.`]
      : [];
  });
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
function metricsOf(line: string): string[] {
  if (!line.includes('CloudWatchMetrics')) return [];
  const values: MetricLine & Record<string, string> = JSON.parse(line);
  return values._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.map(({ Name }) =>
        keyOf(
          Namespace,
          Name,
          names.map((name) => [name, values[name] ?? '']),
        ),
      ),
    ),
  );
}

function keyOf(namespace: string, name: string, dimensions: readonly (readonly string[])[]): string {
  return [namespace, name, ...dimensions.map(([key, value]) => `${key}=${value}`).sort()].join(' ');
}

function functionId(template: Template, text: string): string {
  return idOf(template, 'AWS::Lambda::Function', text);
}
