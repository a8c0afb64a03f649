// What `cdk synth` and `cdk deploy` run: one stage's stack (`-c stage=trial` for another than production), with the sample
// warehouse beside it where the stage wants it, checked by cdk-nag as they are synthesized.
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
// Not of the whole app: the functions that you put beside the feed are yours to judge, and shall not stop a deployment.
for (const construct of checked)
  Validations.of(app).addPlugins({
    name: `${checks.name} of ${construct.node.path}`,
    validate: () => checks.validateScope(construct),
  });
app.synth();
