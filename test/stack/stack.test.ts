// Runs the output of `cdk synth` on the engines of this machine, and checks its policies.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StackUnderTest, startStackUnderTest } from './stack-under-test.ts';
import { changed, idOf, type Template } from './template.ts';
import type { Watched } from './watch-a-change.ts';
import { findUnneeded, type Unused } from './withdrawn.ts';

/** A run takes two seconds; a busy machine needs longer. */
const PATIENCE_MS = 120_000;

let stack: StackUnderTest;
let template: Template;
/** A run of the undamaged template, which several tests read. */
let intact: Watched;

beforeAll(async () => {
  stack = await startStackUnderTest();
  template = stack.assembly.template;
  intact = await stack.watch(template, { withSweeps: true });
}, PATIENCE_MS);

afterAll(() => stack.stop());

test('a change at the service reaches the ordered subscriptions and the bus, within the permissions of the roles', () => {
  const { beforeSweeps, afterSweeps } = intact;

  expect({ beforeSweeps, afterSweeps }).toEqual({ beforeSweeps: [], afterSweeps: [] });
});

test(
  'the daily sweeps send events that the relays never received',
  async () => {
    const withoutRelays = changed(template, ({ Resources }) => {
      for (const relay of ['RelayToOrdered', 'RelayToBus']) delete Resources[mappingOf(relay)];
    });

    const { beforeSweeps, afterSweeps } = await stack.watch(withoutRelays, { withSweeps: true });

    expect(beforeSweeps).toContain('The ordered subscriber received the change 0 times.');
    expect(beforeSweeps).toContain('The filtered subscriber received the change 0 times.');
    expect(beforeSweeps).toContain('The subscriber of the bus received the change 0 times.');
    expect(afterSweeps).toEqual([]);
  },
  PATIENCE_MS,
);

test.each([
  'OrderedSubscriberQueue',
  'OrderedSubscriberUndelivered',
  'FilteredSubscriberQueue',
  'FilteredSubscriberUndelivered',
  'ErpQueue',
  'ErpUndelivered',
])('the policy of %s must let the topic send', (queue) => {
  const damaged = changed(template, ({ Resources }) => {
    const { PolicyDocument } = Resources[idOf(template, 'AWS::SQS::QueuePolicy', queue)]!.Properties;
    PolicyDocument.Statement = PolicyDocument.Statement.filter(
      ({ Effect }: { Effect: string }) => Effect !== 'Allow',
    );
  });

  const denied = intact.deniedBy(damaged);

  expect(denied).toEqual([expect.stringMatching(`:sns:.* is not allowed sqs:SendMessage on .*${queue}`)]);
});

/** Permissions that the run does not use. */
const UNUSED: readonly Unused[] = [
  { why: "Lambda writes the function's log", permission: /: logs:(CreateLogStream|PutLogEvents) on .*Logs/ },
  {
    why: 'CDK grants it to each consumer of a queue',
    permission: /Poller: sqs:(ChangeMessageVisibility|GetQueueUrl) on .*Ticks/,
  },
  {
    why: 'reads an item after a write without an answer',
    permission: /Poller: dynamodb:GetItem on .*(Snapshots|Ledger)/,
  },
  {
    why: 'the settings of a source that an operator adds',
    permission: /Poller: ssm:GetParameter on .*\/sources\//,
  },
  {
    why: 'the token of a source that an operator adds',
    permission: /Poller: (ssm|secretsmanager):Get\w+ on .*tokens/,
  },
];

test('every permission of the poller and the relays is needed: without it, the run is denied a call', () => {
  const { deniedBy } = intact;

  const unneeded = findUnneeded({
    template,
    roleTexts: ['PollingPoller', 'Relay'],
    deniedBy,
    unused: UNUSED,
  });

  expect(unneeded).toEqual({ count: expect.any(Number), unexplained: [], outdated: [] });
  expect(unneeded.count).toBeGreaterThan(30);
});

function mappingOf(text: string): string {
  return idOf(template, 'AWS::Lambda::EventSourceMapping', text);
}
