// Places a function in a VPC. Lambda creates the network interfaces with the function's role, so the role needs
// permissions that the function's own code must not have. A second statement denies them to the code.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions
import { ArnFormat, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { acknowledge } from './acknowledge.ts';
import type { WebhookNetwork } from './webhook-options.ts';

const ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** The function's props for a network. */
export function placeInNetwork({
  vpc,
  subnets,
  securityGroups,
}: WebhookNetwork): Pick<lambda.FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'> {
  return {
    vpc,
    vpcSubnets: subnets ?? { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS },
    ...(securityGroups && { securityGroups: [...securityGroups] }),
  };
}

export function allowNetworkInterfaces(role: iam.Role): void {
  role.addToPrincipalPolicy(new iam.PolicyStatement({ actions: ACTIONS, resources: ['*'] }));
  role.addToPrincipalPolicy(
    new iam.PolicyStatement({
      effect: iam.Effect.DENY,
      actions: ACTIONS,
      resources: ['*'],
      conditions: {
        // Only requests of a function's code have this key. The role belongs to one function, so any name may match.
        ArnLike: {
          'lambda:SourceFunctionArn': Stack.of(role).formatArn({
            ...{ service: 'lambda', resource: 'function' },
            ...{ resourceName: '*', arnFormat: ArnFormat.COLON_RESOURCE_NAME },
          }),
        },
      },
    }),
  );
  acknowledge(
    role,
    'IAM5[Resource::*]',
    'Lambda needs the actions for network interfaces on all resources; they are denied to the code.',
  );
}
