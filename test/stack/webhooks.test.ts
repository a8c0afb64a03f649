// Three ordered subscriptions and two webhooks in one stack, as `cdk synth` makes it, run on the engines of this machine
// with a receiver. Each permission of the webhooks' roles is removed in turn, and must be missed.
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
import { watchWebhooks } from './watch-webhooks.ts';

/** A run takes some seconds; a busy machine gets more. */
const PATIENCE_MS = 120_000;

let service: ReferenceService;
let assembly: Assembly;
let engines: EngineAddresses;
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
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function watch(template: Template, isDown = false): Promise<string[]> {
  return watchWebhooks(service, { assembly, template, engines, isDown });
}

test(
  'webhooks get their events in order and signed, after their endpoints were down, and within their permissions',
  async () => {
    expect(await watch(assembly.template, true)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'webhooks whose endpoints work get the same',
  async () => {
    expect(await watch(assembly.template)).toEqual([]);
  },
  PATIENCE_MS,
);

test.each<[role: string, action: string, isDown?: boolean]>([
  ['WmsSender', 'sqs:ReceiveMessage'],
  ['WmsSender', 'sqs:DeleteMessage'],
  ['WmsSender', 'sqs:GetQueueAttributes'],
  ['WmsSender', 'sqs:ChangeMessageVisibility', true],
  ['WmsSender', 'dynamodb:Query'],
  ['WmsSender', 'dynamodb:GetItem'],
  ['WmsSender', 'dynamodb:UpdateItem'],
  ['WmsSender', 'secretsmanager:GetSecretValue'],
  ['WmsSweep', 'dynamodb:Scan'],
  ['WmsSweep', 'dynamodb:Query'],
  ['WmsSweep', 'dynamodb:GetItem'],
  ['WmsSweep', 'sqs:SendMessage'],
  ['MailsSweep', 'dynamodb:UpdateItem'],
  ['MailsSweep', 'dynamodb:PutItem'],
])(
  'a role without a permission is found: %s, %s',
  async (role, action, isDown = false) => {
    const damaged = changed(assembly.template, ({ Resources }) =>
      withdraw(Resources, `Webhooks${role}Role`, action),
    );

    expect(await watch(damaged, isDown)).toContainEqual(
      expect.stringMatching(new RegExp(`Webhooks${role}\\w+ is not allowed ${action} on `)),
    );
  },
  PATIENCE_MS,
);

test.each(['Marks', 'Ledger'])(
  'a sender that may not put items is found: %s',
  async (table) => {
    const damaged = changed(assembly.template, ({ Resources }) => {
      for (const statement of statementsOf(Resources, 'WmsSender'))
        if (JSON.stringify(statement.Resource).includes(`Storage${table}`) && statement.Condition)
          statement.Action = [statement.Action].flat().filter((it: string) => it !== 'dynamodb:PutItem');
    });

    expect(await watch(damaged)).toContainEqual(
      expect.stringMatching(new RegExp(`WmsSender\\w+ is not allowed dynamodb:PutItem on .*${table}`)),
    );
  },
  PATIENCE_MS,
);

test.each([
  ['shop/hook', /^Webhooks, mails|MailsSender\w+ is not allowed secretsmanager:GetSecretValue on .*hook/],
  ['shop/signing', /MailsSender\w+ is not allowed secretsmanager:GetSecretValue on .*signing/],
  ['shop/bearer', /MailsSender\w+ is not allowed secretsmanager:GetSecretValue on .*bearer/],
])(
  'a sender that may not read one of its secrets is found: %s',
  async (secret, found) => {
    const damaged = changed(assembly.template, ({ Resources }) => {
      for (const statement of statementsOf(Resources, 'MailsSender'))
        statement.Resource = [statement.Resource]
          .flat()
          .filter((it: unknown) => !JSON.stringify(it).includes(secret));
    });

    expect(await watch(damaged)).toContainEqual(expect.stringMatching(found));
  },
  PATIENCE_MS,
);

test.each([
  [
    'the marks of another webhook',
    'Wms#*',
    'Erp#*',
    /WmsSender\w+ is not allowed dynamodb:GetItem on .*Marks/,
  ],
  ["a return's events", '*_feed', '*_7', /WmsSender\w+ is not allowed dynamodb:PutItem on .*Ledger/],
])(
  'a sender that may only write %s is found',
  async (_, before, after, found) => {
    const damaged = changed(assembly.template, ({ Resources }) => {
      for (const { Condition } of statementsOf(Resources, 'WmsSender')) {
        const keys = Condition?.['ForAllValues:StringLike'];
        if (keys?.['dynamodb:LeadingKeys'][0] === before) keys['dynamodb:LeadingKeys'] = [after];
      }
    });

    expect(await watch(damaged)).toContainEqual(expect.stringMatching(found));
  },
  PATIENCE_MS,
);

test(
  'a schedule that may not start the sweep is found',
  async () => {
    const damaged = changed(assembly.template, ({ Resources }) =>
      withdraw(Resources, 'PublishingSchedulesRole', 'lambda:InvokeFunction'),
    );

    expect(await watch(damaged)).toContainEqual(
      expect.stringMatching(/SchedulesRole\w* is not allowed lambda:InvokeFunction on .*WmsSweep/),
    );
  },
  PATIENCE_MS,
);

test.each([
  ['a missing subscription', 'AWS::SNS::Subscription', 'WebhooksWms', /^Webhooks, WMS, first return: /],
  ['a missing mapping', 'AWS::Lambda::EventSourceMapping', 'WebhooksWms', /^Webhooks, WMS, first return: /],
])(
  'a damage is found: %s',
  async (_, type, id, found) => {
    const damaged = changed(assembly.template, ({ Resources }) => {
      delete Resources[idOf(assembly.template, type, id)];
    });

    expect(await watch(damaged)).toContainEqual(expect.stringMatching(found));
  },
  PATIENCE_MS,
);

// biome-ignore lint/suspicious/noExplicitAny: a template's statements
function statementsOf(resources: Resources, role: string): any[] {
  const id = idOf({ Resources: resources }, 'AWS::IAM::Policy', `Webhooks${role}Role`);
  return resources[id]!.Properties.PolicyDocument.Statement;
}
