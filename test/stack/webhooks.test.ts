// Runs the output of `cdk synth` for a stack with three ordered subscriptions and two webhooks, on the engines of this
// machine. Each permission of the webhooks' roles must be used: without it, a recorded call of the runs is denied.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import { withdraw } from './damage.ts';
import type { EngineAddresses } from './deployment.ts';
import { startEngines } from './start-engines.ts';
import { addSubscribers, addWebhooks, synthesizeStack } from './synthesize-stack.ts';
import { type Assembly, changed, idOf, type Resources, type Template } from './template.ts';
import { type WatchedWebhooks, watchWebhooks } from './watch-webhooks.ts';
import { findUnneeded, type Unused } from './withdrawn.ts';

/** A run takes a few seconds; a busy machine needs longer. */
const PATIENCE_MS = 120_000;

let service: ReferenceService;
let assembly: Assembly;
let engines: EngineAddresses;
/** Runs of the undamaged template, which several tests read. */
let whenDown: WatchedWebhooks;
let whenUp: WatchedWebhooks;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  // Each run delivers two parcels; the service has one on its way for every five returns.
  service = await createReferenceService({ groups: 300, life: false });
  ends.push(service.close);
  assembly = synthesizeStack(service.url, (stack) => {
    addSubscribers(stack);
    addWebhooks(stack);
  });
  engines = await startEngines(ends);
  whenDown = await watch(assembly.template, true);
  whenUp = await watch(assembly.template);
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function watch(template: Template, isDown = false): Promise<WatchedWebhooks> {
  return watchWebhooks(service, { assembly, template, engines, isDown });
}

/** The calls of both runs that the policies of a damaged template deny. */
function deniedBy(damaged: Template): string[] {
  return [whenDown, whenUp].flatMap((run) => run.deniedBy(damaged));
}

test('webhooks get their events in order and signed, after their endpoints were down, and within their permissions', () => {
  expect(whenDown.problems).toEqual([]);
});

test('webhooks with working endpoints get their events in the same way', () => {
  expect(whenUp.problems).toEqual([]);
});

/** Permissions that neither run uses. */
const UNUSED: readonly Unused[] = [
  { why: "Lambda writes the function's log", permission: /: logs:(CreateLogStream|PutLogEvents) on .*Logs/ },
  {
    why: 'only failed invocations need it',
    permission: /(Sweep|Schedules): sqs:SendMessage on .*DeadLetters/,
  },
  {
    why: 'reports lost events, in the present generation, and no run loses any',
    permission: /Sweep: dynamodb:(PutItem on .*Ledger|DescribeTable on|GetItem on .*Sources)/,
  },
  {
    why: 'reports skipped events, of which only Wms has one',
    permission: /MailsSender: dynamodb:(PutItem on .*Ledger|DescribeTable on|GetItem on .*Sources)/,
  },
  {
    why: 'saves the mark of a first event that the filter excludes, and Wms has no filter',
    permission: /WmsSweep: dynamodb:PutItem on .*Marks/,
  },
];

test('every permission of the webhooks is needed: without it, a run is denied a call', () => {
  const roleTexts = ['Webhooks', 'PublishingSchedules'];

  const unneeded = findUnneeded({ template: assembly.template, roleTexts, deniedBy, unused: UNUSED });

  expect(unneeded).toEqual({ count: expect.any(Number), unexplained: [], outdated: [] });
  expect(unneeded.count).toBeGreaterThan(40);
});

test(
  'the run itself finds a role that lacks a permission',
  async () => {
    const damaged = changed(assembly.template, ({ Resources }) =>
      withdraw(Resources, 'WebhooksWmsSenderRole', 'dynamodb:Query'),
    );

    const run = await watch(damaged);

    const refused = expect.stringMatching(/WebhooksWmsSender\w+ is not allowed dynamodb:Query on .*Ledger/);
    expect(run.problems).toContainEqual(refused);
    expect(run.deniedBy(damaged)).toContainEqual(refused);
  },
  PATIENCE_MS,
);

test.each([
  ['the marks of another webhook', 'Wms#*', 'Erp#*', 'dynamodb:GetItem', 'Marks'],
  ["a return's events", '*_feed', '*_7', 'dynamodb:PutItem', 'Ledger'],
])('a sender that may only write %s is found', (_, before, after, action, table) => {
  const damaged = changed(assembly.template, ({ Resources }) => {
    for (const { Condition } of statementsOf(Resources, 'WmsSender')) {
      const keys = Condition?.['ForAllValues:StringLike'];
      if (keys?.['dynamodb:LeadingKeys'][0] === before) keys['dynamodb:LeadingKeys'] = [after];
    }
  });

  const denied = deniedBy(damaged);

  expect(denied).toContainEqual(
    expect.stringMatching(new RegExp(`WmsSender\\w+ is not allowed ${action} on .*${table}`)),
  );
});

test.each([
  ['a missing subscription', 'AWS::SNS::Subscription', 'WebhooksWms', /^Webhooks, WMS, first return: /],
  ['a missing mapping', 'AWS::Lambda::EventSourceMapping', 'WebhooksWms', /^Webhooks, WMS, first return: /],
])(
  'a damage is found: %s',
  async (_, type, id, found) => {
    const damaged = changed(assembly.template, ({ Resources }) => {
      delete Resources[idOf(assembly.template, type, id)];
    });

    const { problems } = await watch(damaged);

    expect(problems).toContainEqual(expect.stringMatching(found));
  },
  PATIENCE_MS,
);

// biome-ignore lint/suspicious/noExplicitAny: a template's statements
function statementsOf(resources: Resources, role: string): any[] {
  const id = idOf({ Resources: resources }, 'AWS::IAM::Policy', `Webhooks${role}Role`);
  return resources[id]!.Properties.PolicyDocument.Statement;
}
