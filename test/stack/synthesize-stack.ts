// The stack as `cdk synth` makes it, code included, for a service on this machine and with two subscribers.
import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { STAGES } from '../../infra/stages.ts';
import { type Assembly, readAssembly } from './template.ts';

export const TOKEN_SECRET = 'returns-feed/acme';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

export function synthesizeStack(outdir: string, baseUrl: string): Assembly {
  const app = new App({ outdir, context });
  const { stackName } = STAGES.trial;
  const stack = new ReturnsFeedStack(app, {
    ...STAGES.trial,
    sources: [{ ...STAGES.trial.sources[0]!, baseUrl, tokenSecret: TOKEN_SECRET, requestsPerMinute: 240 }],
  });
  stack.feed.addOrderedSubscriber(subscriber(stack, 'OrderedSubscriber'));
  stack.feed.onChange('Delivered', {
    entity: 'shipment',
    to: 'DELIVERED',
    target: subscriber(stack, 'BusSubscriber'),
  });
  app.synth();
  return readAssembly(outdir, stackName);
}

/** Content with everything; what it was invoked with is what counts. */
function subscriber(stack: ReturnsFeedStack, id: string): lambda.Function {
  return new lambda.Function(stack, id, {
    code: lambda.Code.fromInline('exports.handler = async () => ({ batchItemFailures: [] });'),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
  });
}
