// A user's stack with the construct. Functions are not bundled: other tests cover their code, and bundle-function.test.ts
// covers their bundling.
import { type App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { ReturnsChangeFeed, type ReturnsChangeFeedProps } from '../../infra/returns-change-feed.ts';
import type { SourceProps } from '../../infra/source-props.ts';
import { newApp } from './new-app.ts';

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

/** A feed with one source by default. */
export function aFeed(props: Partial<ReturnsChangeFeedProps> = {}, stack = newStack()): Synthesis {
  const sources = props.sources ?? [aSource(stack)];
  const feed = new ReturnsChangeFeed(stack, 'Feed', { ...props, sources });
  return { stack, feed, template: () => Template.fromStack(stack) };
}

export function aFunction(stack: Stack, id = 'Subscriber', timeout?: lambda.FunctionProps['timeout']) {
  return new lambda.Function(stack, id, {
    code: lambda.Code.fromInline('exports.handler = async () => {}'),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    ...(timeout && { timeout }),
  });
}

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template's properties
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** The resources of a type, by their logical ids. */
export function resourcesOf(template: Template, type: string): [string, Resource][] {
  return Object.entries(template.findResources(type)) as [string, Resource][];
}

/** The one resource of a type whose logical id contains a text. */
export function resourceOf(template: Template, type: string, idHolds: string): Resource {
  const found = resourcesOf(template, type).filter(([id]) => id.includes(idHolds));
  if (found.length !== 1) throw new Error(`${found.length} resources ${type} hold ${idHolds} in their ids.`);
  return found[0]![1];
}

export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: unknown;
}

/** The permissions of the role with a text in its logical id; resources as JSON. */
export function statementsOf(template: Template, roleIdHolds: string): Statement[] {
  return resourcesOf(template, 'AWS::IAM::Policy').flatMap(([, { Properties }]) =>
    (Properties.Roles as { Ref?: string }[]).some(({ Ref }) => Ref?.includes(roleIdHolds))
      ? Properties.PolicyDocument.Statement.map(readStatement)
      : [],
  );
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function readStatement({ Effect, Action, Resource, Condition }: any): Statement {
  const list = (value: unknown) => (Array.isArray(value) ? value : [value]);
  return {
    effect: Effect,
    actions: list(Action),
    resources: list(Resource).map((it) => (typeof it === 'string' ? it : JSON.stringify(it))),
    ...(Condition && { conditions: Condition }),
  };
}
