// A stack that was deployed: its outputs, and its resources by their logical ids.
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { arn } from '../infra/edges/read-account.ts';
import type { DeployedParts } from '../runbook/resources-called.ts';

export async function readDeployed(stackName: string): Promise<DeployedParts> {
  const client = new CloudFormationClient();
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const resources: StackResourceSummary[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stackName }))
    resources.push(...(page.StackResourceSummaries ?? []));
  const refsOf = (type: string, pattern: RegExp) =>
    resources
      .filter(
        ({ ResourceType, LogicalResourceId = '' }) =>
          ResourceType === type && pattern.test(LogicalResourceId),
      )
      .map(({ PhysicalResourceId = '' }) => PhysicalResourceId);
  return {
    outputs: Object.fromEntries(
      (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    ),
    refOf(type, text) {
      const [found, ...others] = refsOf(type, new RegExp(text));
      if (found === undefined || others.length > 0) throw new Error(`Not one ${type} has ${text} in its id.`);
      return found;
    },
    arnsOf: (type, pattern) => refsOf(type, pattern).map((id) => arnOfResource(type, id)),
  };
}

function arnOfResource(type: string, id: string): string {
  switch (type) {
    case 'AWS::DynamoDB::Table':
      return arn('dynamodb', `table/${id}`);
    case 'AWS::IAM::Role':
      return arn('iam', `role/${id}`);
    case 'AWS::Lambda::Function':
      return arn('lambda', `function:${id}`);
    case 'AWS::SQS::Queue':
      return arn('sqs', id.split('/').at(-1) ?? '');
    default:
      return id;
  }
}
