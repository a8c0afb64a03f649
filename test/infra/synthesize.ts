// A user's stack with the construct. Functions are not bundled: other tests cover their code, and bundle-function.test.ts
// covers their bundling.
import { type App, Names, Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ReturnsChangeFeed, type ReturnsChangeFeedProps } from '../../infra/returns-change-feed.ts';
import type { SourceProps } from '../../infra/source-props.ts';
import { newApp } from './new-app.ts';
import { type Template, templateOf } from './template.ts';

export interface Synthesis {
  readonly stack: Stack;
  readonly feed: ReturnsChangeFeed;
  template(): Template;
}

export function newUnbundledApp(): App {
  return newApp({ 'aws:cdk:bundling-stacks': [] });
}

export function newStack(): Stack {
  return new Stack(newUnbundledApp(), 'Shop');
}

export function aSource(stack: Stack, props: Partial<SourceProps> = {}): SourceProps {
  const name = props.name ?? 'acme';
  return {
    name,
    baseUrl: 'https://returns.example.com/api',
    token: props.token ?? secretsmanager.Secret.fromSecretNameV2(stack, `Token-${name}`, `token/${name}`),
    ...props,
  };
}

/** A secret whose name lets a source at the address of {@link aSource} use it without a permission of its own. */
export function tokenByPrefix(stack: Stack, name: string): SourceProps['token'] {
  const feed = new Construct(new Stack(newUnbundledApp(), stack.node.id), 'Feed');
  const service = Names.uniqueResourceName(feed, { maxLength: 60, separator: '-' });
  const secretName = `${service}/tokens/returns.example.com/${name}`;
  return secretsmanager.Secret.fromSecretNameV2(stack, `Token-${name}`, secretName);
}

/** A feed with one source by default. */
export function aFeed(props: Partial<ReturnsChangeFeedProps> = {}, stack = newStack()): Synthesis {
  const sources = props.sources ?? [aSource(stack)];
  const feed = new ReturnsChangeFeed(stack, 'Feed', { ...props, sources });
  return { stack, feed, template: () => templateOf(stack) };
}

export function aFunction(stack: Stack, id = 'Subscriber', timeout?: lambda.FunctionProps['timeout']) {
  return new lambda.Function(stack, id, {
    code: lambda.Code.fromInline('exports.handler = async () => {}'),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    ...(timeout && { timeout }),
  });
}
