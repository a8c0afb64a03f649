// Reads the stacks of an app as one account: each resource with its ARN and its resolved properties, including references
// to other stacks.
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { type Names, resolve } from '../resolve-intrinsics.ts';
import type { Template } from '../template.ts';

/** As the engines on this machine have them (test/runbook). */
export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';

export interface AccountResource {
  readonly stack: string;
  readonly id: string;
  readonly type: string;
  /** The path of its construct, for messages. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template's properties
  readonly properties: any;
  readonly arn: string;
  /** Resolves a part of its properties. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  resolve(value: unknown): any;
}

export interface Account {
  readonly resources: readonly AccountResource[];
  /** Finds a resource by its ARN, its stream's ARN, or an ARN within it. */
  find(arn: string): AccountResource | undefined;
}

interface RawStack {
  readonly stackName: string;
  readonly template: Partial<Template>;
}

export function readAccount(assembly: CloudAssembly): Account {
  const stacks: RawStack[] = assembly.stacks;
  const outputOf = (stackName: string, outputName: string): string => {
    const stack = stacks.find((it) => it.stackName === stackName) ?? missing(`stack ${stackName}`);
    const output = stack.template.Outputs?.[outputName] ?? missing(`output ${outputName} of ${stackName}`);
    return resolve(output.Value, namesOf(stack, outputOf));
  };
  const resources = stacks.flatMap((stack) => readStack(stack, namesOf(stack, outputOf)));
  const byArn = new Map(resources.map((resource) => [resource.arn, resource]));
  return {
    resources,
    find: (arn) => byArn.get(arn) ?? byArn.get(arn.replace(/\/stream\/.*$|:\*$/, '')),
  };
}

function readStack({ stackName, template }: RawStack, names: Names): AccountResource[] {
  return Object.entries(template.Resources ?? {}).map(([id, { Type, Properties = {}, Metadata }]) => ({
    stack: stackName,
    id,
    type: Type,
    path: (Metadata?.['aws:cdk:path'] ?? `${stackName}/${id}`).replace(/\/(Resource|Default)$/, ''),
    properties: Properties,
    get arn() {
      return arnOf(Type, nameOf(stackName, id, Properties, names), names, Properties);
    },
    resolve: (value) => resolve(value, names),
  }));
}

/** The names in a stack; those that CloudFormation would choose begin with the stack's name. */
export function namesOf({ stackName, template }: RawStack, output?: Names['output']): Names {
  const resource = (id: string) => template.Resources?.[id] ?? missing(`${id} in ${stackName}`);
  const nameIn = (id: string): string => nameOf(stackName, id, resource(id).Properties ?? {}, names);
  const arnIn = (id: string) => arnOf(resource(id).Type, nameIn(id), names, resource(id).Properties);
  const names: Names = {
    ...(output && { output }),
    ref(id) {
      const pseudo = PSEUDO_PARAMETERS[id];
      if (pseudo !== undefined) return pseudo;
      if (id === 'AWS::StackName') return stackName;
      if (REFERRED_TO_BY_ARN.has(resource(id).Type)) return arnIn(id);
      return resource(id).Type === 'AWS::SQS::Queue' ? queueUrl(nameIn(id)) : nameIn(id);
    },
    attribute(id, name) {
      switch (`${resource(id).Type} ${name}`) {
        case 'AWS::Logs::LogGroup Arn':
          return `${arnIn(id)}:*`;
        case 'AWS::DynamoDB::Table StreamArn':
          return `${arnIn(id)}/stream/2026-11-22T00:00:00.000`;
        case 'AWS::SQS::Queue QueueName':
        case 'AWS::SNS::Topic TopicName':
        case 'AWS::StepFunctions::StateMachine Name':
          return nameIn(id);
        case 'AWS::EC2::Subnet SubnetId':
        case 'AWS::EC2::SecurityGroup GroupId':
          return nameIn(id);
        case 'AWS::SNS::Topic TopicArn':
          return arnIn(id);
        case 'AWS::Lambda::Url FunctionUrl':
          return `https://${id.toLowerCase()}.lambda-url.${REGION}.on.aws/`;
        default:
          return name === 'Arn' ? arnIn(id) : missing(`${id}.${name}`);
      }
    },
  };
  return names;
}

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

const REFERRED_TO_BY_ARN: ReadonlySet<string> = new Set([
  'AWS::SNS::Topic',
  'AWS::SecretsManager::Secret',
  'AWS::StepFunctions::StateMachine',
]);

const NAMES = ['Name', 'RoleName', 'LogGroupName', 'QueueName', 'TopicName', 'AlarmName'];

/** The template's name for the resource, or else a name like CloudFormation's. */
function nameOf(stack: string, id: string, properties: Record<string, unknown>, names: Names): string {
  const chosen = NAMES.map((it) => properties[it]).find((it) => it !== undefined);
  return chosen === undefined ? `${stack}-${id}` : resolve(chosen, names);
}

/** The prefix of the name, by the resource's type. */
const ARN_PREFIXES: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'cloudwatch:alarm:',
  'AWS::DynamoDB::Table': 'dynamodb:table/',
  'AWS::Events::Archive': 'events:archive/',
  'AWS::Events::EventBus': 'events:event-bus/',
  'AWS::IAM::Role': 'iam:role/',
  'AWS::KMS::Key': 'kms:key/',
  'AWS::Lambda::Function': 'lambda:function:',
  'AWS::Logs::LogGroup': 'logs:log-group:',
  'AWS::SNS::Topic': 'sns:',
  'AWS::SQS::Queue': 'sqs:',
  'AWS::SSM::Parameter': 'ssm:parameter',
  'AWS::SecretsManager::Secret': 'secretsmanager:secret:',
  'AWS::Scheduler::Schedule': 'scheduler:schedule/',
  'AWS::Scheduler::ScheduleGroup': 'scheduler:schedule-group/',
  'AWS::StepFunctions::StateMachine': 'states:stateMachine:',
};

// biome-ignore lint/suspicious/noExplicitAny: properties as they come
function arnOf(type: string, name: string, names: Names, properties: any): string {
  if (type === 'AWS::Events::Rule') {
    const bus = resolve(properties.EventBusName ?? 'default', names)
      .split('/')
      .at(-1);
    return arn('events', `rule/${bus === 'default' ? '' : `${bus}/`}${name}`);
  }
  const [service = '', ...rest] = (ARN_PREFIXES[type] ?? `none:${type}/`).split(':');
  return arn(service, rest.join(':') + name);
}

export function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${service === 'iam' ? '' : REGION}:${ACCOUNT}:${resource}`;
}

function queueUrl(name: string): string {
  return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;
}

/** @param url the value of a Ref to a queue */
export function queueArnOf(url: string): string {
  return arn('sqs', url.split('/').at(-1) ?? '');
}

function missing(what: string): never {
  throw new Error(`There is no ${what}.`);
}
