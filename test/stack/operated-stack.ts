// A deployed stack with an operator: commands and the console call all AWS services at one address, which allows the
// permissions that SECURITY.md lists for them. The poller is the stack's own.

import { type OperatorEndpoint, type Served, startOperatorEndpoint } from '../runbook/operator-endpoint.ts';
import type { OperatorStatement } from '../runbook/read-operators.ts';
import { readOperators } from '../runbook/read-operators.ts';
import { arnOf, REGION } from './create-resources.ts';
import { type Deployment, type DeployOptions, deploy, type EngineAddresses } from './deployment.ts';

export const STACK = 'Returns';

export interface OperatedStack {
  readonly deployment: Deployment;
  readonly operator: OperatorEndpoint;
  /** The environment of an operator's commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** The permissions that SECURITY.md lists for a command. @param words its name, and an option that has its own rows */
  rightsOf(...words: readonly string[]): readonly OperatorStatement[];
  /** Makes the stack lack parts, like a stack of an earlier release. Without arguments, it lacks none. */
  resemble(...lacks: readonly Lack[]): void;
}

/** A part that stacks of earlier releases lack. */
export type Lack = 'the output PollerFunction' | 'the alias' | 'the index';

/** @param ends receives the functions that end it */
export async function operateStack(options: DeployOptions, ends: (() => unknown)[]): Promise<OperatedStack> {
  const deployment = await deploy(options);
  ends.push(deployment.stop);
  let lacks: readonly Lack[] = [];
  const operator: OperatorEndpoint = await startOperatorEndpoint({
    queuesInto: () => [],
    answer({ target = '', path, body }) {
      if (body.Action === 'DescribeStacks') return describeStack(deployment, lacks);
      if (body.Action !== undefined) return options.engines.sqs;
      if (path.endsWith('/invocations')) return invoke(deployment, path, body, lacks);
      if (lacks.includes('the index') && body.IndexName === 'behind') return lackIndex(options.engines, body);
      return answer(deployment, options.engines, target, body, () => operator.url);
    },
  });
  ends.push(operator.close);
  const operators = readOperators((name) => resourcesCalled(deployment, name));
  return {
    ...{ deployment, operator },
    environment: {
      ...{ AWS_ENDPOINT_URL: operator.url, AWS_REGION: REGION },
      ...{ AWS_ACCESS_KEY_ID: 'operator', AWS_SECRET_ACCESS_KEY: 'none' },
    },
    rightsOf: (...words) => operators.statementsFor(words),
    resemble(...lacking) {
      lacks = lacking;
    },
  };
}

function answer(
  { parameters, busEndpoint }: Deployment,
  { sqs, dynamoDb }: EngineAddresses,
  target: string,
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
  body: any,
  ownUrl: () => string,
): string | Served {
  switch (target.split('.')[0]) {
    case 'AmazonSQS':
      return sqs;
    case 'AWSEvents':
      return busEndpoint;
    case 'AmazonSSM': {
      const below = parameters.filter(({ Name }) => Name.startsWith(`${body.Path}/`));
      // Queue URLs with the address for functions, which does not accept operators.
      const text = JSON.stringify({ Parameters: below });
      return { ...json({}), body: text.replaceAll(/http:\/\/127\.0\.0\.1:\d+(?=\/\d{12}\/)/g, ownUrl()) };
    }
    case 'GraniteServiceVersion20100801':
      return json({
        MetricDataResults: body.MetricDataQueries.map(({ Id }: { readonly Id: string }) => ({
          ...{ Id, Values: [90, 30], StatusCode: 'Complete' },
        })),
      });
    default:
      return dynamoDb;
  }
}

function describeStack({ outputs }: Deployment, lacks: readonly Lack[]): Served {
  const members = Object.entries(outputs)
    .filter(([key]) => !lacks.includes(`the output ${key}` as Lack))
    .map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    )
    .join('');
  const body =
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>${members}</Outputs></member>` +
    '</Stacks></DescribeStacksResult></DescribeStacksResponse>';
  return { status: 200, type: 'text/xml', body };
}

async function invoke(
  deployment: Deployment,
  path: string,
  body: object,
  lacks: readonly Lack[],
): Promise<Served> {
  const called = decodeURIComponent(path.split('/').at(-2) ?? '');
  // https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors
  const error = 'ResourceNotFoundException';
  if (lacks.includes('the alias'))
    return { ...json({ Message: `Function not found: ${called}` }), status: 404, error };
  return json(await deployment.functionWith('Poller').invoke(body, called.split(':')[1]));
}

/** Returns the engine's own error for an index that a table does not have. */
async function lackIndex({ dynamoDb }: EngineAddresses, body: object): Promise<Served> {
  const answer = await fetch(dynamoDb, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.Query',
      authorization: `AWS4-HMAC-SHA256 Credential=local/20261122/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
      'x-amz-date': '20261122T000000Z',
    },
    body: JSON.stringify({ ...body, IndexName: 'gone' }),
  });
  return { status: answer.status, type: 'application/x-amz-json-1.0', body: await answer.text() };
}

function json(content: unknown): Served {
  return { status: 200, type: 'application/json', body: JSON.stringify(content ?? null) };
}

/** Returns the ARNs for a name in SECURITY.md's table. Supports the names that `explain` and the console need. */
function resourcesCalled({ outputs }: Deployment, name: string): string[] {
  const table = (output: string) => arnOf('dynamodb:table/', outputs[output] ?? '');
  const called: Readonly<Record<string, string>> = {
    'the stack': arnOf('cloudformation:stack/', `${STACK}/*`),
    sources: table('SourcesTable'),
    snapshots: table('SnapshotsTable'),
    'the index of snapshots': `${table('SnapshotsTable')}/index/created`,
    ledger: table('LedgerTable'),
    marks: table('MarksTable'),
    'the index of marks': `${table('MarksTable')}/index/behind`,
    topic: outputs.TopicArn ?? '',
    bus: arnOf('events:event-bus/', outputs.BusName ?? ''),
    'the queues of ordered subscriptions': arnOf('sqs:', '*Queue*'),
    'the dead-letter queues of ordered subscriptions': arnOf('sqs:', '*DeadLetters*'),
    'the queues of webhooks': arnOf('sqs:', '*Webhooks*'),
    'the path `WebhooksPath`': `${arnOf('ssm:parameter', outputs.WebhooksPath ?? '')}*`,
    'the path `StackSourcesPath`': `${arnOf('ssm:parameter', outputs.StackSourcesPath ?? '')}*`,
    'the path `SourcesPath`': `${arnOf('ssm:parameter', outputs.SourcesPath ?? '')}*`,
    "the poller's alias `questions`": arnOf('lambda:function:', `${outputs.PollerFunction}:questions`),
    'all resources (`*`): AWS lets these name none': '*',
  };
  const names = called[name] === undefined ? name.split(', ') : [name];
  return names.flatMap((each) => called[each] ?? []);
}
