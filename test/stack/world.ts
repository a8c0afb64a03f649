// The parts that the modules of a deployment share.
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Created } from './create-resources.ts';
import type { Failures } from './failures.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { type PermissionChecks, refusalOf } from './permission-checks.ts';
import type { Permission } from './policies.ts';
import { resolve } from './resolve-intrinsics.ts';
import type { Template } from './template.ts';

export interface WorldOptions {
  readonly template: Template;
  readonly created: Created;
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly streams: DynamoDBStreamsClient;
  readonly checks: PermissionChecks;
  readonly failures: Failures;
}

export interface World extends Omit<WorldOptions, 'failures'> {
  /** By their logical ids. */
  readonly functions: Map<string, LambdaFunction>;
  /** Returns a resource's properties, with all functions of CloudFormation resolved. */
  // biome-ignore lint/suspicious/noExplicitAny: properties as they come
  properties(id: string): any;
  functionOf(arnOrName: string): LambdaFunction;
  /** The ARN of a function's role. */
  roleOf(arnOrName: string): string;
  /** Adds a failure if a role lacks a permission that a service needs when it acts for the role. */
  require(roleArn: string, permission: Permission): void;
  fail(problem: unknown): void;
}

export function createWorld({ failures, ...shared }: WorldOptions): World {
  const functions = new Map<string, LambdaFunction>();
  const { template, created } = shared;
  const properties = (id: string) => resolve(template.Resources[id]?.Properties ?? {}, created.names);

  function find(arnOrName: string): [string, LambdaFunction] {
    const found = [...functions].find(
      ([id, { name }]) => name === arnOrName || created.names.attribute(id, 'Arn') === arnOrName,
    );
    if (found === undefined) throw new Error(`There is no function ${arnOrName}.`);
    return found;
  }

  return {
    ...shared,
    ...{ functions, properties },
    functionOf: (arnOrName) => find(arnOrName)[1],
    roleOf: (arnOrName) => properties(find(arnOrName)[0]).Role,
    require(roleArn, permission) {
      const check = { caller: roleArn, principal: { roleArn }, permission };
      if (!shared.checks.passes(check)) failures.add(refusalOf(check));
    },
    fail: failures.add,
  };
}
