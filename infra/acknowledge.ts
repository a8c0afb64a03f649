import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Acknowledges that a rule of cdk-nag's AwsSolutions pack does not apply to a construct and its children.
 *
 * @param rule without the pack's name, for instance `SQS3` or `IAM5[Resource::*]`
 * @param reason why it does not apply, for reviewers of the stack
 */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
}
