// The properties of a feed with every kind of part, as CloudFormation gets them: test/infra/golden/properties.txt. After a
// change that is meant, `npx vitest run test/infra/properties.test.ts -u` writes it. The folder `edges` judges policies;
// the code of functions, the dashboard and the workflow have tests of their own.
import { expect, test } from 'vitest';
import { templateOfVariant } from './edges/judge-variant.ts';
import { type Names, resolve } from './resolve-intrinsics.ts';

const POLICIES = /^AWS::(IAM::Policy|IAM::Role|Lambda::Permission|SNS::TopicPolicy|SQS::QueuePolicy)$/;
/** The feed, the sample warehouse, and what invokes the functions of subscribers. */
const OURS = /^(Feed|Warehouse)|EventSource|EventInvokeConfig/;
const ELSEWHERE = ['Code', 'DashboardBody', 'DefinitionString'];
/** Without the policies of its queues, SNS would drop a subscription's events; without the subscription, so would a relay. */
const FIRST = /Subscription|(Queue|Undelivered)Policy/;

/** References as `<id>`, so that a line is short. */
const SHOWN: Names = {
  ref: (id) => `<${id.replace('AWS::', '')}>`,
  attribute: (id, name) => `<${id}.${name}>`,
};

test('each part has the known properties, deletion policy and order of creation', async () => {
  const { Resources } = templateOfVariant('without a key');

  const lines = Object.entries(Resources)
    .filter(([id, { Type }]) => OURS.test(id) && !POLICIES.test(Type))
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([id, { Properties = {}, DeletionPolicy, DependsOn }]) => {
      const after = DependsOn?.filter((it) => FIRST.test(it)) ?? [];
      const shown = {
        ...{ DeletionPolicy, ...(after.length > 0 && { DependsOn: after }) },
        ...Object.fromEntries(Object.entries(Properties).filter(([name]) => !ELSEWHERE.includes(name))),
      };
      return `${id} ${JSON.stringify(resolve(shown, SHOWN))}\n`;
    });
  await expect(lines.join('')).toMatchFileSnapshot('golden/properties.txt');
});
