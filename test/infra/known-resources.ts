// The identity of a deployment's resources for CloudFormation: their logical ids, and the properties that can't be changed
// in place. If one of these changes, CloudFormation creates a new resource and deletes the old one with its data.
// test/infra/golden has the identities of the deployed release, for comparison.
import type { App, Stack } from 'aws-cdk-lib';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { SampleWarehouseStack } from '../../infra/sample-warehouse-stack.ts';
import type { Stage } from '../../infra/stages.ts';

export interface KnownResource {
  readonly type: string;
  /** The properties that CloudFormation can only change by replacing the resource. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** The resources by stack, then by logical id. */
export type KnownResources = Readonly<Record<string, Readonly<Record<string, KnownResource>>>>;

/**
 * For each type, the properties that its CloudFormation page marks with "Update requires: Replacement"; for tables also
 * the stream's view type, because a new view type creates a new stream.
 */
const FIXED_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  'Custom::DeclaredSources': ['ServiceToken'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'StreamSpecification'],
  'AWS::Events::Archive': ['ArchiveName', 'SourceArn'],
  'AWS::Events::EventBus': ['Name', 'EventSourceName'],
  'AWS::Events::Rule': ['Name', 'EventBusName'],
  'AWS::IAM::Policy': [],
  'AWS::IAM::Role': ['RoleName', 'Path'],
  'AWS::Lambda::Alias': ['FunctionName', 'Name'],
  'AWS::Lambda::EventInvokeConfig': ['FunctionName', 'Qualifier'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'StartingPosition'],
  'AWS::Lambda::Function': ['FunctionName'],
  'AWS::Lambda::Permission': ['Action', 'FunctionName', 'Principal', 'SourceAccount', 'SourceArn'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'TopicArn'],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
  'AWS::SNS::TopicPolicy': [],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::SQS::QueuePolicy': [],
  'AWS::SSM::Parameter': ['Name'],
  'AWS::Scheduler::Schedule': ['Name'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', 'StateMachineType'],
};

/** The property with a type's unique name in an account; other types get a name from CloudFormation. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::Events::EventBus': 'Name',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SSM::Parameter': 'Name',
  'AWS::Scheduler::Schedule': 'Name',
  'AWS::Scheduler::ScheduleGroup': 'Name',
};

/**
 * Types whose resources can't be recreated: most contain data, a topic has subscriptions of other stacks, and receivers
 * have a webhook's secret.
 */
const HOLDS_EVENTS = new Set([
  'AWS::DynamoDB::Table',
  'AWS::Events::Archive',
  'AWS::Events::EventBus',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
]);

export interface TemplateText {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties?: Readonly<Record<string, unknown>>;
        readonly DeletionPolicy?: string;
        readonly UpdateReplacePolicy?: string;
      }
    >
  >;
}

/** Synthesizes a stage like infra/app.ts. @returns the templates by the stacks' names */
export function synthesizeStage(stage: Stage, app: App): ReadonlyMap<string, TemplateText> {
  const main = new ReturnsFeedStack(app, stage);
  const stacks: Stack[] = [main];
  if (stage.sampleWarehouse !== undefined) stacks.push(new SampleWarehouseStack(app, main.feed, stage));
  const assembly = app.synth();
  return new Map(
    stacks.map(({ stackName }) => [stackName, assembly.getStackByName(stackName).template as TemplateText]),
  );
}

/** @throws Error for a type without listed fixed properties */
export function knownResources(templates: ReadonlyMap<string, TemplateText>): KnownResources {
  return Object.fromEntries(
    [...templates].map(([stack, { Resources }]) => [
      stack,
      Object.fromEntries(
        Object.entries(Resources).map(([id, { Type, Properties = {} }]) => {
          const properties = FIXED_PROPERTIES[Type];
          if (properties === undefined)
            throw new Error(
              `${id} is the first ${Type}: add it to FIXED_PROPERTIES, from its CloudFormation page.`,
            );
          const fixed = properties.flatMap((name) => (name in Properties ? [[name, Properties[name]]] : []));
          return [id, { type: Type, fixed: Object.fromEntries(fixed) }];
        }),
      ),
    ]),
  );
}

/** Returns one sentence for each resource that an update would lose, and for each reason why it would fail. */
export function harmOfUpdate(before: KnownResources, after: KnownResources): string[] {
  return Object.entries(before).flatMap(([stack, resources]) => {
    const now = after[stack] ?? {};
    const lost = Object.entries(resources).flatMap(([id, was]) => {
      if (!HOLDS_EVENTS.has(was.type)) return [];
      const is = now[id];
      if (is === undefined) return [`${stack}: ${id} (${was.type}) would be deleted with what it holds.`];
      return sameValue(was, is)
        ? []
        : [`${stack}: ${id} (${was.type}) would be replaced by an empty one: its fixed properties changed.`];
    });
    // CloudFormation creates the new resource before it deletes the old one, so a name may still be in use.
    const taken = Object.entries(resources).flatMap(([id, was]) => {
      const name = nameOf(was);
      if (name === undefined) return [];
      const heirs = Object.entries(now).filter(
        ([otherId, it]) => otherId !== id && it.type === was.type && sameValue(nameOf(it), name),
      );
      return heirs.map(
        ([otherId]) =>
          `${stack}: ${otherId} can't be created: its name is still used by ${id} (${was.type}).`,
      );
    });
    return [...lost, ...taken];
  });
}

function nameOf({ type, fixed }: KnownResource): unknown {
  const property = NAMES[type];
  return property === undefined ? undefined : fixed[property];
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The text of a golden file: one resource per line, sorted, so that a diff shows the changes. */
export function formatKnownResources(known: KnownResources): string {
  const stacks = Object.entries(known).map(([stack, resources]) => {
    const lines = Object.entries(resources)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([id, resource]) => `    ${JSON.stringify(id)}: ${JSON.stringify(resource)}`);
    return `  ${JSON.stringify(stack)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${stacks.join(',\n')}\n}\n`;
}
