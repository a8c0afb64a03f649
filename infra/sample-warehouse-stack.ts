// The sample warehouse as a stack of its own, next to the stack of a stage.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ReturnsChangeFeed } from './returns-change-feed.ts';
import { SampleWarehouse } from './sample-warehouse.ts';
import type { Stage } from './stages.ts';

export class SampleWarehouseStack extends Stack {
  readonly warehouse: SampleWarehouse;

  constructor(scope: Construct, feed: ReturnsChangeFeed, stage: Stage) {
    const stackName = `${stage.stackName}SampleWarehouse`;
    super(scope, stackName, {
      stackName,
      description: 'A sample subscriber of the feed: decides about the goods of delivered parcels',
    });
    const { logRetention, removalPolicy, sampleWarehouse } = stage;
    this.warehouse = new SampleWarehouse(this, 'Warehouse', {
      ...{ feed, removalPolicy },
      ...(sampleWarehouse && { subscribeTo: sampleWarehouse }),
      ...(logRetention && { logRetention }),
    });
    new CfnOutput(this, 'Workflow', {
      value: this.warehouse.workflow.stateMachine.stateMachineArn,
      description: 'State machine with an execution for each delivered parcel',
    });
  }
}
