import * as cdk from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Acknowledges that a rule of cdk-nag's AwsSolutions pack does not apply to a construct and its children.
 *
 * Does nothing in releases of CDK that have no acknowledgements or refuse the id: they synthesize the same resources,
 * and only an app that runs cdk-nag sees the finding.
 *
 * @param rule without the pack's name, for instance `SQS3` or `IAM5[Resource::*]`
 * @param reason why it does not apply, for reviewers of the stack
 */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  try {
    // Read from the namespace: an import of a name that CDK does not export would end the app.
    (cdk.Validations as typeof cdk.Validations | undefined)
      ?.of(construct)
      .acknowledge({ id: `AwsSolutions-${rule}`, reason });
  } catch {
    // Some releases accept one `::` in an id, and cdk-nag's ids with ARNs have several.
  }
}
