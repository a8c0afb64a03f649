// A stack that was deployed: its outputs, and its resources by their logical ids.
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { DeployedParts } from '../runbook/resources-called.ts';
import { ACCOUNT, arnOf } from '../stack/create-resources.ts';

export async function readDeployed(stackName: string): Promise<DeployedParts> {
  const client = new CloudFormationClient();
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const resources: StackResourceSummary[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stackName }))
    resources.push(...(page.StackResourceSummaries ?? []));
  const refOf = (type: string, text: string) => {
    const found = resources.filter(
      ({ ResourceType, LogicalResourceId = '' }) => ResourceType === type && LogicalResourceId.includes(text),
    );
    if (found.length !== 1) throw new Error(`${found.length} resources ${type} have ${text} in their ids.`);
    return found[0]?.PhysicalResourceId ?? '';
  };
  return {
    outputs: Object.fromEntries(
      (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    ),
    refOf,
    arnOf: (type, text) => arnOfResource(type, refOf(type, text)),
  };
}

function arnOfResource(type: string, id: string): string {
  switch (type) {
    case 'AWS::DynamoDB::Table':
      return arnOf('dynamodb:table/', id);
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${ACCOUNT}:role/${id}`;
    case 'AWS::Lambda::Function':
      return arnOf('lambda:function:', id);
    case 'AWS::SQS::Queue':
      return arnOf('sqs:', id.split('/').at(-1) ?? '');
    default:
      return id;
  }
}
