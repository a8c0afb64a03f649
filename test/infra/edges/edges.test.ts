// For each variant of a deployment: the policies allow the calls that AWS's services make for the templates, every
// statement is needed for one of them, and none contradicts AWS's definitions.
import { type App, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test, vi } from 'vitest';
import { aFunction } from '../synthesize.ts';
import { reasonFor } from './accepted-mistakes.ts';
import { findMistakes } from './find-mistakes.ts';
import { findSpare, judgeEdges, refusals } from './judge-edges.ts';
import { type JudgedVariant, judgeVariant } from './judge-variant.ts';
import { matches, type Statement } from './policies.ts';
import type { OwnedStatement } from './read-policies.ts';
import { purposeOf } from './spare-statements.ts';
import { VARIANTS, type Variant } from './variants.ts';

// The first synthesis of a process takes seconds, for loading modules.
vi.setConfig({ testTimeout: 60_000 });

/** The paths of what this project creates. */
const OURS = /Feed|Warehouse|BusSubscribers|\/Ordered/;

describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  let known: JudgedVariant | undefined;
  function judged(): JudgedVariant {
    known ??= judgeVariant(variant);
    return known;
  }

  test('allows every call of services that the template requires', () => {
    const { edges } = judged();

    expect(edges.length).toBeGreaterThan(20);
    expect(refusals(edges)).toEqual([]);
  });

  test('lets a service use a resource only for a named one of this account', () => {
    const { policies } = judged();
    // Any alarm of the account may publish to a topic of alarms; own-key.test.ts judges keys.
    const keyOf = (service: string) =>
      service === 'cloudwatch.amazonaws.com' ? 'SourceAccount' : 'SourceArn';

    const open = policies.statements.filter(({ says, owner, name, Principal, Condition }) => {
      const { Service: service } = Object(Principal) as { readonly Service?: string };
      const isAsked = OURS.test(name) && (says === 'resource' || service === 'scheduler.amazonaws.com');
      if (!isAsked || service === undefined || owner.startsWith('arn:aws:kms:')) return false;
      return !JSON.stringify(Condition ?? {}).includes(`"aws:${keyOf(service)}":`);
    });

    expect(open.map(({ name }) => name)).toEqual([]);
  });

  test('refuses requests without TLS to each queue and topic of the feed', () => {
    const { account, policies } = judged();
    const ours = account.resources.filter(
      ({ type, path }) => /::(Queue|Topic)$/.test(type) && OURS.test(path),
    );

    const refusing = policies.statements.filter((it) => purposeOf(it) === 'denies requests without TLS');

    expect(ours.length).toBeGreaterThan(2);
    expect(ours.filter(({ arn }) => !refusing.some(({ owner }) => owner === arn))).toEqual([]);
  });

  test('has no unnecessary statement', () => {
    const { edges, policies } = judged();

    const spare = findSpare(edges, policies);

    expect(spare.length).toBeLessThan(policies.statements.length);
    expect(spare.filter((it) => purposeOf(it) === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('names only actions, resources and condition keys that AWS defines for each other', async () => {
    const { policies } = judged();

    const mistakes = (await Promise.all(policies.statements.map(findMistakes))).flat();

    expect(mistakes.filter((it) => reasonFor(it) === undefined)).toEqual([]);
  });
});

describe('the judge', () => {
  const variant = VARIANTS['with a key of the stack'] as Variant;
  let known: JudgedVariant | undefined;
  const judged = () => {
    known ??= judgeVariant(variant);
    return known;
  };
  const other = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(other) : `${value}`.replace(/[^:]+$/, 'another');

  test.each<[string, (statement: OwnedStatement) => Partial<OwnedStatement> | undefined]>([
    ['forbids instead', () => ({ Effect: 'Deny' })],
    ['names other actions', ({ Action }) => ({ Action: other(Action) as string })],
    [
      'names other resources',
      ({ Resource }) => (Resource === undefined ? undefined : { Resource: other(Resource) as string }),
    ],
    [
      'names another service or role',
      ({ Principal }) => (Principal === undefined ? undefined : { Principal: { Service: 'another' } }),
    ],
    [
      'has another condition',
      ({ Condition }) =>
        Condition && {
          Condition: Object.fromEntries(
            Object.entries(Condition).map(([operator, keys]) => [
              operator,
              Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, other(value) as string])),
            ]),
          ),
        },
    ],
    [
      'has a condition that requests never meet',
      ({ Condition }) => ({ Condition: { ...Condition, StringLike: { 'aws:SourceVpc': '*' } } }),
    ],
  ])('refuses a call if the statement that it needs %s', (_, change) => {
    const { edges, policies } = judged();
    const spare = findSpare(edges, policies);
    const needed = policies.statements.filter((it) => !spare.includes(it));

    const altered = needed.flatMap((statement) => {
      const changed = change(statement);
      if (changed === undefined) return [];
      const statements = policies.statements.map((it) => (it === statement ? { ...it, ...changed } : it));
      const concerned = edges.filter((it) => it.statements.has(statement));
      return [{ statement, refused: refusals(judgeEdges(concerned, { ...policies, statements })) }];
    });

    expect(altered.length).toBeGreaterThan(15);
    expect(altered.filter(({ refused }) => refused.length === 0)).toEqual([]);
  });

  test.each([
    ['ArnLike', 'arn:aws:events:*:rule/*'],
    ['ArnEquals', 'arn:aws:events:eu-west-1:1:rule/a'],
    ['StringEquals', 'arn:aws:events:*:1:rule/*'],
  ])('does not stretch %s %s to other rules', (operator, pattern) => {
    const statement = {
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Condition: { [operator]: { key: pattern } },
    };
    const context = { key: 'arn:aws:events:eu-west-1:1:rule/b' };

    const isMet = matches(statement as Statement, { action: 'sqs:SendMessage', resource: 'a', context });

    expect(isMet).toBe(false);
  });

  test('does not guess the policy of a key outside the templates', () => {
    expect(() => judgeVariant({ build: VARIANTS['with an imported key']!.build })).toThrow(
      /^The policy of arn:aws:kms:\S+ is not known\.$/,
    );
  });
});

describe('is reported:', () => {
  test.each<[string, string, (stack: Stack) => void]>([
    [
      'a property that names a resource',
      'AWS::Lambda::Function DeadLetterConfig.TargetArn',
      (stack) => {
        const fn = aFunction(stack).node.defaultChild as lambda.CfnFunction;
        fn.deadLetterConfig = { targetArn: new sqs.Queue(stack, 'Lost').queueArn };
      },
    ],
    [
      'a resource that names another',
      'AWS::Logs::SubscriptionFilter LogGroupName',
      (stack) => {
        const logGroup = new logs.LogGroup(stack, 'Log');
        const destinationArn = 'arn:aws:kinesis:eu-west-1:111111111111:stream/lines';
        new logs.CfnSubscriptionFilter(stack, 'Lines', {
          ...{ logGroupName: logGroup.logGroupName, destinationArn, filterPattern: '' },
        });
      },
    ],
    [
      'a named target',
      'Unknown needs of a rule for arn:aws:logs:',
      (stack) => {
        const target = new targets.CloudWatchLogGroup(new logs.LogGroup(stack, 'Log') as logs.ILogGroup);
        new events.Rule(stack, 'Rule', { eventPattern: { source: ['a'] }, targets: [target] });
      },
    ],
  ])('%s in a new way', (__, problem, build) => {
    const variant = { build: (app: App) => build(new Stack(app, 'Shop')) };

    expect(() => judgeVariant(variant)).toThrow(problem);
  });
});
