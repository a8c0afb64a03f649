// The reasons for statements that contradict AWS's reference. A mistake without a reason is one.

/** @returns why the statement is right all the same; undefined if it is not */
export function reasonFor(mistake: string): string | undefined {
  return ACCEPTED.find(({ is }) => is.test(mistake))?.reason;
}

const ACCEPTED: readonly { readonly is: RegExp; readonly reason: string }[] = [
  {
    is: /Webhooks\/\w+\/Sender\/Role\/\S+ #\d+: ec2:(AssignPrivateIpAddresses|UnassignPrivateIpAddresses|CreateNetworkInterface|DeleteNetworkInterface) is allowed on every resource/,
    reason:
      'Lambda creates network interfaces with the role, and deletes them. The ids are not known before; the code may not use these actions.',
  },
  {
    is: /AWSLambdaBasicExecutionRole #1: logs:(CreateLogGroup|CreateLogStream|PutLogEvents) is allowed on every resource/,
    reason: "It is a policy of AWS, which CDK attaches to the role of a subscriber's function.",
  },
  {
    is: /states:SendTaskSuccess accepts only "\*", not arn:aws:states:[^:]+:\d+:stateMachine:/,
    // https://github.com/aws/aws-cdk/pull/8486
    reason: 'Step Functions does check it on the state machine of the task.',
  },
  {
    is: /do not have the condition key lambda:SourceFunctionArn\.$/,
    // https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
    reason: "Lambda adds the key to every request of a function's code, to any service.",
  },
  {
    is: /, key policy #\d+: Requests for kms:DescribeKey do not have the condition key kms:EncryptionContext:aws:events:event-bus:arn\.$/,
    reason: "It is CDK's statement for the bus. Another one allows the action without a condition.",
  },
];
