// The app of `cdk synth` and `cdk deploy`: the stack of one stage (production, or another one, for instance with
// `-c stage=trial`), and the stack of the sample warehouse if the stage has one. cdk-nag checks them during synthesis.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { ReturnsFeedStack } from './returns-feed-stack.ts';
import { SampleWarehouseStack } from './sample-warehouse-stack.ts';
import { stageNamed } from './stages.ts';

const app = new App();
const stage = stageNamed(app.node.tryGetContext('stage') ?? undefined);
const { feed } = new ReturnsFeedStack(app, stage);
const checked: Construct[] = [feed];
if (stage.sampleWarehouse !== undefined) checked.push(new SampleWarehouseStack(app, feed, stage).warehouse);
const checks = new AwsSolutionsChecks(app, { verbose: true });
// Checks these constructs and not the whole app, so that findings in your own functions do not stop a deployment.
for (const construct of checked)
  Validations.of(app).addPlugins({
    name: `${checks.name} of ${construct.node.path}`,
    validate: () => checks.validateScope(construct),
  });
app.synth();
