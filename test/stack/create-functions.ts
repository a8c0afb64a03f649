// Creates the template's functions with their code, variables and credentials, and the AWS endpoint that they call.
import { join } from 'node:path';
import { type AwsEndpoint, type Call, startAwsEndpoint } from './aws-endpoint.ts';
import { arnOf, REGION } from './create-resources.ts';
import { startFunction, writeInlineCode } from './lambda-function.ts';
import type { Arns } from './needed-permissions.ts';
import { type PermissionChecks, refusalOf } from './permission-checks.ts';
import { type Assembly, resourcesOf } from './template.ts';
import type { World } from './world.ts';

/** Secrets Manager appends six characters to a secret's name. */
const ARNS: Arns = {
  table: (name) => arnOf('dynamodb:table/', name),
  queue: (url) => arnOf('sqs:', new URL(url).pathname.split('/').at(-1) ?? ''),
  bus: (name) => arnOf('events:event-bus/', name),
  parameter: (name) => arnOf('ssm:parameter', name),
  secret: (id) => (id.startsWith('arn:') ? id : arnOf('secretsmanager:secret:', `${id}-x7Hk2Q`)),
};

const ENGINE_OF: Readonly<Record<string, keyof EndpointOptions['engines']>> = {
  AmazonSNS: 'sqs',
  AmazonSQS: 'sqs',
  AWSEvents: 'bus',
};

export interface EndpointOptions {
  readonly engines: { readonly dynamoDb: string; readonly sqs: string; readonly bus: string };
  readonly checks: PermissionChecks;
  readonly secrets: ReadonlyMap<string, string>;
  readonly calls: Call[];
}

/** Starts the AWS endpoint. It identifies a caller by the access key, which is the caller's logical id. */
export function startEndpoint(world: () => World, options: EndpointOptions): Promise<AwsEndpoint> {
  const { engines, checks, secrets, calls } = options;
  return startAwsEndpoint({
    secretOf: (id) => secrets.get(id) ?? world().created.secrets.get(id),
    arns: ARNS,
    engineOf: (service) => engines[ENGINE_OF[service] ?? 'dynamoDb'],
    mayDo(caller, permission) {
      return checks.passes({ caller, principal: { roleArn: world().properties(caller).Role }, permission });
    },
    parameterOf(name) {
      const { template, properties } = world();
      return resourcesOf(template, 'AWS::SSM::Parameter')
        .map(([id]) => properties(id))
        .find(({ Name }) => Name === name)?.Value;
    },
    onCall(call) {
      calls.push(call);
      for (const permission of call.denied) world().fail(refusalOf({ caller: call.accessKeyId, permission }));
    },
  });
}

export interface FunctionsOptions {
  readonly assembly: Assembly;
  readonly endpoint: AwsEndpoint;
  /** The directory for code that the template contains inline. */
  readonly directory: string;
  readonly variablesOf: VariablesOf;
  /** How far the functions' clocks are ahead, in milliseconds. */
  readonly ahead: Float64Array;
}

/** Changes the variables of a function. */
export type VariablesOf = (template: Variables) => Variables;
export type Variables = Readonly<Record<string, string>>;

export function createFunctions(
  world: World,
  { assembly: { codeOf }, endpoint, directory, variablesOf, ahead }: FunctionsOptions,
): void {
  for (const [id] of resourcesOf(world.template, 'AWS::Lambda::Function')) {
    const { Handler, Timeout = 3, Environment, Code } = world.properties(id);
    const codeDirectory =
      Code.ZipFile === undefined ? codeOf(Code.S3Key) : writeInlineCode(join(directory, id), Code.ZipFile);
    const started = startFunction({
      name: world.created.names.ref(id),
      codeDirectory,
      handler: Handler,
      timeoutMs: Timeout * 1_000,
      ahead,
      variables: variablesOf(Environment?.Variables ?? {}),
      endpoint: endpoint.url,
      region: REGION,
      accessKeyId: id,
    });
    world.functions.set(id, started);
  }
}
