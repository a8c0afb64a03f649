// The resources that SECURITY.md's table of operators names, as ARNs.
import { STAGES } from '../../infra/stages.ts';
import { arn } from '../infra/edges/read-account.ts';

export interface DeployedParts {
  /** The stack's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The physical id of the one resource of a type whose logical id contains a text. */
  refOf(type: string, text: string): string;
  /** The ARNs of all resources of a type whose logical ids match. */
  arnsOf(type: string, pattern: RegExp): string[];
}

const ORDERED_QUEUE = /Ordered.+Queue.{8}$/;
const ORDERED_DEAD_LETTERS = /Ordered.+DeadLetters.{8}$/;

/** @throws Error for a name that is not in the list below */
export function resourcesCalled(name: string, { outputs, refOf, arnsOf }: DeployedParts): string[] {
  const own = (type: string, text: string) => arnsOf(type, new RegExp(text))[0] ?? '';
  const queues = (pattern: RegExp) => arnsOf('AWS::SQS::Queue', pattern);
  const table = (text: string) => own('AWS::DynamoDB::Table', text);
  const queue = (url: string | undefined) => arn('sqs', url?.split('/').at(-1) ?? '');
  const lambda = (output: string) => arn('lambda', `function:${outputs[output]}`);
  const log = (output: string) => `${arn('logs', `log-group:${outputs[output]}`)}:*`;
  const { WebhooksPath: webhooks = '', TokenKey: tokenKey = '' } = outputs;
  const called: Readonly<Record<string, () => string[]>> = {
    'the stack': () => [arn('cloudformation', `stack/${STAGES.production.stackName}/*`)],
    snapshots: () => [table('StorageSnapshots')],
    'the index of snapshots': () => [`${table('StorageSnapshots')}/index/created`],
    'the index of marks': () => [`${table('StorageMarks')}/index/behind`],
    'the index of sources': () => [`${table('StorageSources')}/index/directory`],
    ledger: () => [table('StorageLedger')],
    marks: () => [table('StorageMarks')],
    sources: () => [table('StorageSources')],
    topic: () => [outputs.TopicArn ?? ''],
    bus: () => [arn('events', `event-bus/${outputs.BusName}`)],
    '`DeadLettersUrl`': () => [queue(outputs.DeadLettersUrl)],
    'the queues of ordered subscriptions': () => queues(ORDERED_QUEUE),
    'the dead-letter queues of ordered subscriptions': () => queues(ORDERED_DEAD_LETTERS),
    // The commands are the same for each of them.
    'the dead-letter queues of subscriptions and of the bus': () => queues(ORDERED_DEAD_LETTERS),
    'the queues of webhooks': () => queues(/Webhooks.+Queue.{8}$/),
    'the secrets of webhooks': () => [refOf('AWS::SecretsManager::Secret', 'WebhooksWms')],
    'the path `WebhooksPath`': () => [arn('ssm', `parameter${webhooks}*`)],
    '`TokenKey`': () => [tokenKey],
    'all resources (`*`): AWS lets these name none': () => ['*'],
    'the logs of dispatcher, poller, relays and sweeps': () =>
      ['DispatcherLog', 'PollerLog', 'RelayToOrderedLog'].map(log),
    "the logs of webhooks' senders": () => [
      arn('logs', `log-group:${refOf('AWS::Logs::LogGroup', 'WebhooksWmsSender')}:*`),
    ],
    'the sweeps of webhooks': () => [own('AWS::Lambda::Function', 'WebhooksWmsSweep')],
    "the poller's alias `questions`": () => [`${lambda('PollerFunction')}:questions`],
    'the two sweeps': () => [lambda('SweepToOrderedFunction'), lambda('SweepToBusFunction')],
  };
  return (called[name] === undefined ? name.split(', ') : [name]).flatMap((it) => {
    const arns = called[it];
    if (arns === undefined)
      throw new Error(`SECURITY.md names the unknown resource "${it}": add it to resources-called.ts.`);
    return arns();
  });
}
