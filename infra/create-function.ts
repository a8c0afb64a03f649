// Creates a function of the feed: Node 24 on arm64, with a role and a log group of its own. The role may only write to
// that log group; the caller grants other permissions.
import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
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
  /** Reserved. @default none: as many as the account has */
  readonly maxConcurrency?: number;
  /** @default none: the function reaches the internet */
  readonly network?: Pick<lambda.FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'> | undefined;
}

/** The settings that all functions of one feed share. */
export interface FunctionDefaults {
  /** Names the feed in its logs and metrics. */
  readonly serviceName: string;
  readonly logRetention: logs.RetentionDays;
  /** Encrypts the logs. */
  readonly encryptionKey: kms.IKey | undefined;
}

export interface FeedFunction {
  readonly function: lambda.Function;
  readonly role: iam.Role;
  readonly logGroup: logs.LogGroup;
}

export function createFunction(
  scope: Construct,
  id: string,
  { serviceName, logRetention, encryptionKey }: FunctionDefaults,
  { code, exportName = 'handler', memorySizeMiB, maxConcurrency, network, ...props }: FunctionProps,
): FeedFunction {
  const room = new Construct(scope, id);
  if (encryptionKey !== undefined) allowLogs(encryptionKey);
  const logGroup = new logs.LogGroup(room, 'Logs', {
    retention: logRetention,
    ...(encryptionKey && { encryptionKey }),
    // Logs contain no state of the feed.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new iam.Role(room, 'Role', {
    assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    description: props.description,
  });
  logGroup.grantWrite(role);
  const fn = new lambda.Function(room, 'Function', {
    code: bundleFunction(code),
    handler: handlerSetting(exportName),
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    description: props.description,
    role,
    logGroup,
    // The functions log JSON themselves. Of Lambda's own log lines, only warnings and errors are worth their price.
    loggingFormat: lambda.LoggingFormat.JSON,
    systemLogLevelV2: lambda.SystemLogLevel.WARN,
    environment: { ...props.environment, POWERTOOLS_SERVICE_NAME: serviceName },
    timeout: props.timeout,
    memorySize: memorySizeMiB,
    ...(maxConcurrency !== undefined && { reservedConcurrentExecutions: maxConcurrency }),
    ...network,
  });
  return { function: fn, role, logGroup };
}

/**
 * Lets CloudWatch Logs use the key for log groups of the account. With a reference to the log group, key and log group
 * would depend on each other. DescribeKey has no encryption context.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
function allowLogs(key: kms.IKey): void {
  const stack = Stack.of(key);
  const logGroups = stack.formatArn({ service: 'logs', resource: '*' });
  const statement = {
    principals: [new iam.ServicePrincipal(`logs.${stack.region}.amazonaws.com`)],
    resources: ['*'],
  };
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      ...statement,
      actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups } },
    }),
  );
  key.addToResourcePolicy(new iam.PolicyStatement({ ...statement, actions: ['kms:DescribeKey'] }));
}
