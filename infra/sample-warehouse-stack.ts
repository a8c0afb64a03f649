// The sample warehouse as a stack of its own, beside a stage's feed.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ReturnsChangeFeed } from './returns-change-feed.ts';
import { SampleWarehouse } from './sample-warehouse.ts';
import type { Stage } from './stages.ts';

export class SampleWarehouseStack extends Stack {
  readonly warehouse: SampleWarehouse;

  constructor(scope: Construct, feed: ReturnsChangeFeed, stage: Stage) {
    const stackName = `${stage.stackName}SampleWarehouse`;
    super(scope, stackName, { stackName, description: "A sample of what can be made of a feed's events" });
    const { logRetention, removalPolicy, sampleWarehouse } = stage;
    this.warehouse = new SampleWarehouse(this, 'Warehouse', {
      ...{ feed, removalPolicy },
      ...(sampleWarehouse && { subscribeTo: sampleWarehouse }),
      ...(logRetention && { logRetention }),
    });
    new CfnOutput(this, 'Workflow', {
      value: this.warehouse.workflow.stateMachine.stateMachineArn,
      description: 'Has an execution for each delivered parcel',
    });
  }
}
