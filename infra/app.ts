// What `cdk synth` and `cdk deploy` run: one stage's stack (`-c stage=trial` for another than production), the feed in
// it checked by cdk-nag as it is synthesized.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ReturnsFeedStack } from './returns-feed-stack.ts';
import { stageNamed } from './stages.ts';

const app = new App();
const { feed } = new ReturnsFeedStack(app, stageNamed(app.node.tryGetContext('stage') ?? undefined));
const checks = new AwsSolutionsChecks(app, { verbose: true });
// Not of the whole app: the functions that you put beside the feed are yours to judge, and shall not stop a deployment.
Validations.of(app).addPlugins({ name: checks.name, validate: () => checks.validateScope(feed) });
app.synth();
