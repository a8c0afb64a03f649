// Creates a function of the feed: Node 24 on arm64, with a role and a log group of its own. The role may only write to
// that log group; the caller grants other permissions.
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleFunction, type FunctionName, handlerSetting } from './bundle-function.ts';

export interface FunctionProps {
  readonly code: FunctionName;
  /** The bundle's export that handles invocations. @default 'handler' */
  readonly exportName?: string;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  readonly memorySizeMiB: number;
  /** @default none: the function reaches the internet */
  readonly network?: Pick<lambda.FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'> | undefined;
}

/** The settings that all functions of one feed share. */
export interface FunctionDefaults {
  /** Names the feed in its logs and metrics. */
  readonly serviceName: string;
  readonly logRetention: logs.RetentionDays;
}

export interface FeedFunction {
  readonly function: lambda.Function;
  readonly role: iam.Role;
  readonly logGroup: logs.LogGroup;
}

export function createFunction(
  scope: Construct,
  id: string,
  { serviceName, logRetention }: FunctionDefaults,
  { code, exportName = 'handler', description, environment, timeout, memorySizeMiB, network }: FunctionProps,
): FeedFunction {
  const room = new Construct(scope, id);
  const logGroup = new logs.LogGroup(room, 'Logs', {
    retention: logRetention,
    // Logs contain no state of the feed.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new iam.Role(room, 'Role', {
    assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    description,
  });
  logGroup.grantWrite(role);
  const fn = new lambda.Function(room, 'Function', {
    code: bundleFunction(code),
    handler: handlerSetting(exportName),
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    description,
    role,
    logGroup,
    // The functions log JSON themselves. Of Lambda's own log lines, only warnings and errors are worth their price.
    loggingFormat: lambda.LoggingFormat.JSON,
    systemLogLevelV2: lambda.SystemLogLevel.WARN,
    environment: { ...environment, POWERTOOLS_SERVICE_NAME: serviceName },
    timeout,
    memorySize: memorySizeMiB,
    ...network,
  });
  return { function: fn, role, logGroup };
}
