// What `cdk synth` and `cdk deploy` run: one stage's stack (`-c stage=trial` for another than production), checked
// by cdk-nag as it is synthesized.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ReturnsFeedStack } from './returns-feed-stack.ts';
import { stageNamed } from './stages.ts';

const app = new App();
new ReturnsFeedStack(app, stageNamed(app.node.tryGetContext('stage') ?? undefined));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
app.synth();
