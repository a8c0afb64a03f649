// Synthesizes the stack like `cdk synth`, including code, for a service on this machine.
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { STAGES, type StageSource } from '../../infra/stages.ts';
import { newApp } from '../infra/new-app.ts';
import { type Assembly, readAssembly } from './template.ts';

export const TOKEN_SECRET = 'returns-feed/acme';

/**
 * @param subscribe adds subscribers to the stack
 * @param source its settings; by default those of trials
 */
export function synthesizeStack(
  baseUrl: string,
  subscribe: (stack: ReturnsFeedStack) => void,
  source: StageSource = { ...STAGES.trial.sources[0]!, requestsPerMinute: 240 },
): Assembly {
  const app = newApp();
  const { stackName } = STAGES.trial;
  const stack = new ReturnsFeedStack(app, {
    ...STAGES.trial,
    sources: [{ ...source, baseUrl, tokenSecret: TOKEN_SECRET }],
  });
  subscribe(stack);
  app.synth();
  return readAssembly(app.outdir, stackName);
}

/** Adds three ordered subscribers, one of them with a filter and one without a function, and one subscriber of the bus. */
export function addSubscribers(stack: ReturnsFeedStack): void {
  stack.feed.addOrderedSubscriber(subscriber(stack, 'OrderedSubscriber'));
  stack.feed.addOrderedSubscriber(subscriber(stack, 'FilteredSubscriber'), {
    filter: { sources: ['acme'], types: ['shipment.status_changed'], to: ['DELIVERED'] },
  });
  stack.feed.addOrderedQueue('Erp');
  stack.feed.onChange('Delivered', {
    entity: 'shipment',
    to: 'DELIVERED',
    target: subscriber(stack, 'BusSubscriber'),
  });
}

export const WEBHOOK_SECRETS = { url: 'shop/hook', signing: 'shop/signing', bearer: 'shop/bearer' } as const;

/** Adds a webhook with the fewest options, and one with a filter whose URL and headers are secrets. */
export function addWebhooks(stack: ReturnsFeedStack): void {
  const secretNamed = (name: string) => secretsmanager.Secret.fromSecretNameV2(stack, name, name);
  stack.feed.addWebhook('Wms', { url: 'https://wms.example.com/returns' });
  stack.feed.addWebhook('Mails', {
    url: secretNamed(WEBHOOK_SECRETS.url),
    filter: { sources: ['acme'], entities: ['shipment'], to: ['DELIVERED'] },
    secret: secretNamed(WEBHOOK_SECRETS.signing),
    authorization: secretNamed(WEBHOOK_SECRETS.bearer),
  });
}

/** A function that accepts everything; the tests read its invocations. */
function subscriber(stack: ReturnsFeedStack, id: string): lambda.Function {
  return new lambda.Function(stack, id, {
    code: lambda.Code.fromInline('exports.handler = async () => ({ batchItemFailures: [] });'),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
  });
}
