import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Takes a rule of cdk-nag's AwsSolutions pack as not meant for a construct and what is below it.
 *
 * @param rule without the pack's name, for instance `SQS3` or `IAM5[Resource::*]`
 * @param reason what convinces who reviews the stack
 */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
}
