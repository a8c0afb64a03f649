// What `cdk synth` and `cdk deploy --all` run: one stage's stack (`-c stage=trial` for another than production) and the
// sample warehouse beside it, checked by cdk-nag as they are synthesized.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ReturnsFeedStack } from './returns-feed-stack.ts';
import { SampleWarehouseStack } from './sample-warehouse-stack.ts';
import { stageNamed } from './stages.ts';

const app = new App();
const stage = stageNamed(app.node.tryGetContext('stage') ?? undefined);
const { feed } = new ReturnsFeedStack(app, stage);
// The ordered queue has one consumer: take this out when it is yours, or let it subscribe to the bus.
const { warehouse } = new SampleWarehouseStack(app, feed, stage);
const checks = new AwsSolutionsChecks(app, { verbose: true });
// Not of the whole app: the functions that you put beside the feed are yours to judge, and shall not stop a deployment.
for (const checked of [feed, warehouse])
  Validations.of(app).addPlugins({
    name: `${checks.name} of ${checked.node.path}`,
    validate: () => checks.validateScope(checked),
  });
app.synth();
