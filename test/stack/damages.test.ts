// Runs copies of the stack's template, each with one damage, on the engines of this machine: each run must find the damage.
// stack.test.ts runs the undamaged template.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Damage, withdraw } from './damage.ts';
import { type StackUnderTest, startStackUnderTest } from './stack-under-test.ts';
import { changed, idOf, type Resources, type Template } from './template.ts';

/** A run takes two seconds; a busy machine needs longer. */
const PATIENCE_MS = 120_000;

let stack: StackUnderTest;
let template: Template;

beforeAll(async () => {
  stack = await startStackUnderTest();
  template = stack.assembly.template;
}, PATIENCE_MS);

afterAll(() => stack.stop());

const DAMAGES: readonly Damage[] = [
  {
    of: "a wrong filter of a relay's mapping",
    do: (it) => {
      it[mappingOf('RelayToOrdered')]!.Properties.FilterCriteria.Filters[0].Pattern =
        '{"eventName":["MODIFY"]}';
    },
    found: /^The ordered subscriber received the change 0 times\.$/,
  },
  {
    of: 'a wrong value in a filter',
    do: (it) => {
      it[subscriptionOf('FilteredSubscriber')]!.Properties.FilterPolicy.to = ['IN_TRANSIT'];
    },
    found: /^The filtered subscriber received the change 0 times\.$/,
  },
  {
    of: 'a missing filter',
    do: (it) => {
      delete it[subscriptionOf('FilteredSubscriber')]!.Properties.FilterPolicy;
    },
    found: /^The filtered subscriber received \d+ other events\.$/,
  },
  {
    of: 'a missing subscription',
    do: (it) => {
      delete it[subscriptionOf('Erp')];
    },
    found: /^The queue of Erp holds 0 events instead of \d+\.$/,
  },
  {
    of: 'a subscription that wraps the events',
    do: (it) => {
      it[subscriptionOf('OrderedOrderedSubscriber')]!.Properties.RawMessageDelivery = false;
    },
    found: /^The ordered subscriber received the change 0 times\.$/,
  },
  {
    of: 'a queue whose policy names another topic',
    do: (it) => {
      const policy = it[idOf(template, 'AWS::SQS::QueuePolicy', 'ErpQueue')]!.Properties;
      for (const { Condition } of policy.PolicyDocument.Statement)
        if (Condition.ArnEquals)
          Condition.ArnEquals['aws:SourceArn'] = 'arn:aws:sns:us-east-1:000000000000:other';
    },
    found: /:sns:.* is not allowed sqs:SendMessage on .*ErpQueue/,
  },
  {
    of: 'a missing permission to publish',
    do: (it) => withdraw(it, 'RelayToOrderedRole', 'sns:Publish'),
    found: /RelayToOrderedFunction\w* is not allowed sns:Publish on .*:sns:/,
  },
  {
    of: 'a wrong pattern in a rule',
    do: (it) => {
      it[ruleId()]!.Properties.EventPattern['detail-type'] = ['shipment.created'];
    },
    found: /^The subscriber of the bus received the change 0 times\.$/,
  },
  {
    of: 'a missing variable',
    do: (it) => {
      delete variablesOf(it, 'PollerFunction').POLL_QUEUE_URL;
    },
    found: /PollerFunction\w* failed: .*POLL_QUEUE_URL/,
  },
  {
    of: 'a variable that names another table',
    do: (it) => {
      const variables = variablesOf(it, 'RelayToBusFunction');
      variables.MARKS_TABLE = variables.LEDGER_TABLE;
    },
    found: /RelayToBusFunction\w* is not allowed dynamodb:GetItem on .*Ledger/,
  },
  {
    of: "a mapping that ignores the relay's failure report",
    do: (it) => {
      delete it[mappingOf('RelayToOrdered')]!.Properties.FunctionResponseTypes;
    },
    found: /^The ordered subscriber received the change 0 times\.$/,
  },
  {
    of: "a mapping that distributes a group's events to several relays",
    do: (it) => {
      it[mappingOf('RelayToBus')]!.Properties.ParallelizationFactor = 4;
    },
    found: /^RelayToBus handled one group several times at once\.$/,
  },
  {
    of: 'a disabled mapping',
    do: (it) => {
      it[mappingOf('RelayToBus')]!.Properties.Enabled = false;
    },
    found: /^The archive received the change 0 times\.$/,
  },
  {
    of: 'a missing permission of Lambda for a mapping',
    do: (it) => withdraw(it, 'RelayToBusRole', 'dynamodb:GetShardIterator'),
    found: /RelayToBusRole\w* is not allowed dynamodb:GetShardIterator on .*\/stream\//,
  },
  {
    of: 'a wrong input in a schedule',
    do: (it) => {
      const schedule = it[idOf(template, 'AWS::Scheduler::Schedule', 'Scheduleacme')]!;
      schedule.Properties.Target.Input = '{"source":"acme","opensMinute":true}';
    },
    found: /PollerFunction\w* failed: .*slot/s,
  },
  {
    of: 'an alarm on a metric that nothing reports',
    do: (it) => {
      const alarm = it[idOf(template, 'AWS::CloudWatch::Alarm', 'Freshness')]!;
      alarm.Properties.Dimensions[0].Value = 'another';
    },
    found: /^Nothing reports SecondsBehind, which the alarm \w+ waits for\.$/,
  },
];

for (const { of, do: damage, found } of DAMAGES)
  test(
    `finds the damage: ${of}`,
    async () => {
      const damaged = changed(template, ({ Resources }) => damage(Resources));

      const { beforeSweeps } = await stack.watch(damaged, { withSweeps: false });

      expect(beforeSweeps).toContainEqual(expect.stringMatching(found));
    },
    PATIENCE_MS,
  );

function mappingOf(text: string): string {
  return idOf(template, 'AWS::Lambda::EventSourceMapping', text);
}

function subscriptionOf(text: string): string {
  return idOf(template, 'AWS::SNS::Subscription', text);
}

function ruleId(): string {
  return idOf(template, 'AWS::Events::Rule', 'Delivered');
}

function variablesOf(resources: Resources, text: string): Record<string, unknown> {
  return resources[idOf(template, 'AWS::Lambda::Function', text)]!.Properties.Environment.Variables;
}
