// The template's functions, with their code, variables and identity, and the address at which they find AWS.
import { join } from 'node:path';
import { type AwsEndpoint, type Call, startAwsEndpoint } from './aws-endpoint.ts';
import { arnOf, REGION } from './create-resources.ts';
import { startFunction, writeInlineCode } from './lambda-function.ts';
import type { Arns } from './needed-permissions.ts';
import type { MayDo } from './policies.ts';
import { type Assembly, resourcesOf } from './template.ts';
import type { World } from './world.ts';

/** Secrets Manager appends six characters of its own to a secret's name. */
const ARNS: Arns = {
  table: (name) => arnOf('dynamodb:table/', name),
  queue: (url) => arnOf('sqs:', new URL(url).pathname.split('/').at(-1) ?? ''),
  bus: (name) => arnOf('events:event-bus/', name),
  parameter: (name) => arnOf('ssm:parameter', name),
  secret: (id) => arnOf('secretsmanager:secret:', `${id}-x7Hk2Q`),
};

export interface EndpointOptions {
  readonly engines: { readonly dynamoDb: string; readonly sqs: string; readonly bus: string };
  readonly mayDo: MayDo;
  readonly secrets: ReadonlyMap<string, string>;
  readonly calls: Call[];
}

/** A function's access key is its logical id: all that tells who called. */
export function startEndpoint(world: () => World, options: EndpointOptions): Promise<AwsEndpoint> {
  const { engines, mayDo, secrets, calls } = options;
  return startAwsEndpoint({
    ...{ engines, arns: ARNS, secrets },
    mayDo: (functionId, permission) => mayDo(world().properties(functionId).Role, permission),
    parameterOf(name) {
      const { template, properties } = world();
      return resourcesOf(template, 'AWS::SSM::Parameter')
        .map(([id]) => properties(id))
        .find(({ Name }) => Name === name)?.Value;
    },
    onCall(call) {
      calls.push(call);
      for (const { action, resource } of call.denied)
        world().fail(`${call.accessKeyId} is not allowed ${action} on ${resource}`);
    },
  });
}

/** @param directory where code that stands in the template itself is written to */
export function createFunctions(
  world: World,
  { codeOf }: Assembly,
  endpoint: AwsEndpoint,
  directory: string,
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
      variables: Environment?.Variables ?? {},
      endpoint: endpoint.url,
      region: REGION,
      accessKeyId: id,
    });
    world.functions.set(id, started);
  }
}
