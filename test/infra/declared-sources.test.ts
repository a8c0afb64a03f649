// The construct's sources on their way into the directory, and the tokens that they name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { describe, expect, test } from 'vitest';
import { type GivenSource, parseGiven } from '../../functions/adapters/dynamodb-source-directory.ts';
import { parseList } from '../../functions/declared-sources/parse-list.ts';
import { parsePollerEnvironment } from '../../functions/poller/poller-environment.ts';
import type { ReturnsChangeFeedProps } from '../../infra/returns-change-feed.ts';
import type { SourceProps } from '../../infra/source-props.ts';
import { newApp } from './new-app.ts';
import { resolve } from './resolve-intrinsics.ts';
import { aFeed, aSource, newStack, tokenByPrefix } from './synthesize.ts';
import { idOf, resourceOf, resourcesOf, statementsOf, type Template } from './template.ts';

const NAMES = { ref: (id: string) => `<${id}>`, attribute: (id: string, name: string) => `<${id}.${name}>` };

/** What the deployment writes into the directory, and what the poller knows of tokens. */
function deployed(props: Partial<ReturnsChangeFeedProps>, stack = newStack()) {
  const template = aFeed(props, stack).template();
  const { Key, Values } = resourceOf(template, 'Custom::DeclaredSources', 'Entries').Properties;
  const { outdir } = App.of(stack) as App;
  const text = readFileSync(join(outdir, `asset.${resolve(Key, NAMES)}`), 'utf8');
  const values = Object.fromEntries(
    Object.entries(Values ?? {}).map(([marker, value]) => [marker, resolve(value, NAMES)]),
  );
  const { Environment } = resourceOf(template, 'AWS::Lambda::Function', 'Poller').Properties;
  const environment = resolve(Environment.Variables, NAMES);
  const POLL_QUEUE_URL = 'https://sqs.eu-west-1.amazonaws.com/1/ticks';
  return {
    template,
    list: parseList(text, values) as GivenSource[],
    addresses: parsePollerEnvironment({ ...environment, POLL_QUEUE_URL }).DECLARED_TOKENS,
    allowed: statementsOf(template, 'PollerRole').flatMap(({ actions, resources }) =>
      resources.map((it) => `${actions} ${it}`),
    ),
  };
}

function withSource(props: Partial<SourceProps>, stack = newStack()) {
  return deployed({ sources: [aSource(stack, props)] }, stack);
}

test('the list has the settings of each source in the form of an entry', () => {
  const { list } = withSource({
    ...{ interval: Duration.seconds(10), baseline: 'emit', requestsPerMinute: 100, customerData: true },
    ...{ include: ['order_tags'], settle: Duration.minutes(2) },
  });

  expect(parseGiven(list[0] as GivenSource, 'stack')).toMatchObject({
    settings: {
      ...{ name: 'acme', intervalMs: 10_000, baseline: 'emit', requestsPerMinute: 100, customerData: true },
      ...{ include: ['order_tags'], settleMs: 120_000 },
    },
  });
});

const ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:acme-AbCdEf';

test.each<[string, (stack: Stack) => SourceProps['token'], object, string]>([
  [
    'a secret by its name',
    (stack) => secretsmanager.Secret.fromSecretNameV2(stack, 'Token', 'token/acme'),
    { secretId: 'token/acme' },
    'secretsmanager:GetSecretValue .*:secret:token/acme-\\?{6}',
  ],
  [
    'a secret by its full ARN if that is known',
    (stack) => secretsmanager.Secret.fromSecretCompleteArn(stack, 'Token', ARN),
    { secretId: ARN },
    `secretsmanager:GetSecretValue ${ARN}$`,
  ],
  [
    'a secret of the stack, by the ARN that its deployment gives it',
    (stack) => new secretsmanager.Secret(stack, 'Token') as secretsmanager.ISecret,
    { secretId: expect.stringMatching(/^<Token\w+>$/) },
    'secretsmanager:GetSecretValue .*"Ref":"Token',
  ],
  [
    'a SecureString',
    (stack) =>
      ssm.StringParameter.fromSecureStringParameterAttributes(stack, 'Token', {
        parameterName: '/tokens/acme',
      }),
    { parameter: '/tokens/acme' },
    'ssm:GetParameter .*parameter/tokens/acme',
  ],
])('a source refers to %s, which the poller may read and send to its address', (_, tokenIn, token, right) => {
  const stack = newStack();

  const { list, addresses, allowed } = withSource({ token: tokenIn(stack) }, stack);

  expect(list[0]?.token).toEqual(token);
  expect(addresses).toEqual([{ token, baseUrl: 'https://returns.example.com/api' }]);
  expect(allowed).toContainEqual(expect.stringMatching(right));
});

test('a token with the prefix of its address needs no permission of its own, and no address', () => {
  const stack = newStack();

  const { addresses, allowed } = withSource({ token: tokenByPrefix(stack, 'acme') }, stack);

  const secrets = allowed.filter((it) => it.startsWith('secretsmanager:'));
  expect(addresses).toEqual([]);
  expect(secrets).toEqual([expect.stringMatching(/:secret:Shop-Feed-\w+\/tokens\/\*/)]);
});

test('a token with the prefix of its address that a key of your own encrypts can be decrypted', () => {
  const stack = newStack();
  const encryptionKey = new kms.Key(stack, 'Own') as kms.IKey;
  const { secretName } = tokenByPrefix(stack, 'acme') as secretsmanager.ISecret;
  const secretPartialArn = `arn:aws:secretsmanager:eu-west-1:111122223333:secret:${secretName}`;
  const token = secretsmanager.Secret.fromSecretAttributes(stack, 'Token', {
    secretPartialArn,
    encryptionKey,
  });

  const { addresses, allowed } = withSource({ token }, stack);

  expect(addresses).toEqual([]);
  expect(allowed).toContainEqual(expect.stringMatching(/^kms:Decrypt .*"Own/));
});

test("a secret of another stack reaches the list through that stack's output", () => {
  const app = newApp({ 'aws:cdk:bundling-stacks': [] });
  const [stack, other] = [new Stack(app, 'Shop'), new Stack(app, 'Other')];
  const { template } = aFeed(
    { sources: [aSource(stack, { token: new secretsmanager.Secret(other, 'T') as secretsmanager.ISecret })] },
    stack,
  );

  const { Values } = resourceOf(template(), 'Custom::DeclaredSources', 'Entries').Properties;

  expect(JSON.stringify(Values)).toMatch(/^\{"0":\{"Fn::\w+":.*Other/);
});

describe('a thousand sources', () => {
  const sourced = (count: number) => {
    const stack = new Stack(newApp({ 'aws:cdk:bundling-stacks': [] }), 'Shop');
    const sources = Array.from({ length: count }, (_, at) => {
      const name = `source-${at}`;
      return aSource(stack, { name, token: tokenByPrefix(stack, name), alarm: false });
    });
    return deployed({ sources }, stack);
  };
  const [one, thousand] = [sourced(1), sourced(1_000)];
  const idsOf = ({ Resources }: Template) => Object.keys(Resources);

  test('are declared by the resources of one', () => {
    expect(thousand.list).toHaveLength(1_000);
    expect(idsOf(thousand.template)).toEqual(idsOf(one.template));
  });

  test('need no longer policies and environment than one', () => {
    expect(thousand.allowed).toEqual(one.allowed);
    expect(thousand.addresses).toEqual([]);
  });
});

test("entries are written after the poller's policy, which may have to allow their tokens", () => {
  const { template } = withSource({});

  const { DependsOn = [] } = resourceOf(template, 'Custom::DeclaredSources', 'Entries');

  expect(DependsOn).toContain(idOf(template, 'AWS::Lambda::Function', 'Poller'));
});

describe('the key of tokens inside entries', () => {
  const stack = newStack();
  const { feed, template } = aFeed({ addSources: true }, stack);
  const onboarding = new iam.Role(stack, 'Onboarding', { assumedBy: new iam.AccountRootPrincipal() });
  feed.grantAddSources(onboarding);
  const all = template();
  const usesOf = (role: string) =>
    statementsOf(all, role).filter(({ actions }) => actions.some((it) => it.startsWith('kms:')));
  /** Only tokens of this feed, and only with the whole context. */
  const CONDITIONS = {
    StringEquals: { 'kms:EncryptionContext:feed': feed.feedName },
    Null: Object.fromEntries(
      ['source', 'scheme', 'host', 'port'].map((name) => [`kms:EncryptionContext:${name}`, 'false']),
    ),
    'ForAllValues:StringEquals': {
      'kms:EncryptionContextKeys': ['feed', 'source', 'scheme', 'host', 'port'],
    },
  };

  test('is rotated, and retained with the tables', () => {
    const key = resourceOf(all, 'AWS::KMS::Key', 'TokenKey');

    expect(key).toMatchObject({ DeletionPolicy: 'Retain', Properties: { EnableKeyRotation: true } });
  });

  test('decrypts for the poller, and encrypts for a role that may add sources', () => {
    expect(usesOf('PollerRole')).toMatchObject([{ actions: ['kms:Decrypt'], conditions: CONDITIONS }]);
    expect(usesOf('Onboarding')).toMatchObject([{ actions: ['kms:Encrypt'], conditions: CONDITIONS }]);
  });

  test('a role that may add sources changes entries, and nothing else', () => {
    const others = statementsOf(all, 'Onboarding').filter(({ actions }) => !actions.includes('kms:Encrypt'));

    expect(others).toMatchObject([
      {
        actions: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['directory/*'] } },
      },
      { actions: ['dynamodb:Query'], resources: [expect.stringContaining('/index/directory')] },
    ]);
  });

  test('exists only where commands may add sources', () => {
    const without = aFeed();

    expect(resourcesOf(without.template(), 'AWS::KMS::Key')).toEqual([]);
    expect(() => without.feed.grantAddSources(onboarding)).toThrow('set addSources: true');
  });
});
