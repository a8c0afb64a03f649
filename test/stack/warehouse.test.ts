// The sample warehouse in the stack, from a change at the service to the end of its workflow, with the bundles, mappings,
// rules, roles and the state machine of `cdk synth`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Damage, withdraw } from './damage.ts';
import { createDisorder } from './deliveries.ts';
import type { EngineAddresses } from './deployment.ts';
import {
  BASE_URL,
  type Followed,
  type FollowOptions,
  followAParcel,
  type Outcome,
} from './follow-a-parcel.ts';
import { inSentences } from './in-sentences.ts';
import { startEngines } from './start-engines.ts';
import { addWarehouses, synthesizeStack } from './synthesize-stack.ts';
import { type Assembly, changed, idOf, type Resources } from './template.ts';

/** A run takes three seconds; a busy machine needs longer. */
const PATIENCE_MS = 120_000;

let assembly: Assembly;
let engines: EngineAddresses;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  assembly = synthesizeStack(BASE_URL, addWarehouses);
  engines = await startEngines(ends);
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function follow(options: Partial<Pick<FollowOptions, 'template' | 'disorder'>> = {}): Promise<Followed> {
  return followAParcel({ assembly, engines, template: assembly.template, ...options });
}

const EXPIRES = expect.any(Number);
const ITEMS = ['item 0', 'item 1'];

/** The expected result in each warehouse, independent of the order of events. */
const EXPECTED: Outcome = {
  waitedFor: 2,
  workflows: {
    'parcel DELIVERED': {
      return_group: 'return',
      parcel: 'parcel',
      line_items: ITEMS,
      expires: expect.stringMatching(/^\d{10}$/),
      decisions: ITEMS.map((part) => ({ part, decision: 'RESTOCK' })),
    },
  },
  goods: {
    parcel: {
      return_group: 'return',
      part: 'parcel',
      delivery: 'parcel DELIVERED',
      line_items: ITEMS,
      expires: EXPIRES,
    },
    ...Object.fromEntries(ITEMS.map((part) => [part, doneItem(part)])),
  },
};

function doneItem(part: string) {
  return {
    ...{ return_group: 'return', part, parcels: ['parcel'], expires: EXPIRES },
    ...{ status: 'COMPLETED', position: `${part} COMPLETED`, decision: 'RESTOCK' },
  };
}

test(
  'a parcel delivered at the service starts one workflow, which waits, and ends when its line items are completed',
  async () => {
    const followed = await follow();

    expect(followed).toEqual({ failures: [], onQueue: EXPECTED, onBus: EXPECTED });
    expect(followed.onBus).toEqual(followed.onQueue);
  },
  PATIENCE_MS,
);

// With one seed the parcel's delivery arrives first, with the other after most changes of the line items.
test.each([3, 4])(
  'the result is the same with every event twice, and shuffled on the bus (seed %i)',
  async (seed) => {
    const followed = await follow({ disorder: createDisorder(seed) });

    // On the bus no event arrived before the end.
    const onBus = { ...EXPECTED, waitedFor: 0 };
    expect(followed).toEqual({ failures: [], onQueue: EXPECTED, onBus });
    expect(followed.onBus.goods).toEqual(followed.onQueue.goods);
  },
  PATIENCE_MS,
);

const DAMAGES: readonly Damage[] = [
  {
    of: 'a missing permission to start the workflow',
    do: (it) => withdraw(it, 'QueueWarehouseSubscriberRole', 'states:StartExecution'),
    found:
      /QueueWarehouseSubscriberFunction\w* is not allowed states:StartExecution on .*:stateMachine:.*QueueWarehouse/,
  },
  {
    of: 'a missing permission to resume the workflow',
    do: (it) => withdraw(it, 'BusWarehouseSubscriberRole', 'states:SendTaskSuccess'),
    found: /BusWarehouseSubscriberFunction\w* is not allowed states:SendTaskSuccess on /,
  },
  {
    of: 'a missing permission of the workflow',
    do: (it) => withdraw(it, 'QueueWarehouseParcelStateMachineRole', 'dynamodb:GetItem'),
    found: /QueueWarehouseParcelStateMachine\w* is not allowed dynamodb:GetItem on .*:table\//,
  },
  {
    of: "a rule's pattern without parcels",
    do: (it) => {
      const pattern = patternIn(it);
      pattern['detail-type'] = pattern['detail-type'].filter((type) => !type.startsWith('shipment.'));
    },
    found: /^on the bus: no workflow$/,
  },
  {
    of: "a rule's pattern without line items",
    do: (it) => {
      patternIn(it)['detail-type'] = ['shipment.created', 'shipment.status_changed'];
    },
    found: /^on the bus: parcel DELIVERED: item 0 ESCALATE, item 1 ESCALATE$/,
  },
  {
    of: 'a wrong mapping for the queue',
    do: (it) => {
      it[idOf(assembly.template, 'AWS::Lambda::EventSourceMapping', 'QueueWarehouse')]!.Properties.Enabled =
        false;
    },
    found: /^on the queue: no workflow$/,
  },
  {
    of: 'a final status that the workflow does not accept',
    do: (it) => {
      const { DefinitionString } =
        it[idOf(assembly.template, 'AWS::StepFunctions::StateMachine', 'QueueWarehouse')]!.Properties;
      const parts: unknown[] = DefinitionString['Fn::Join'][1];
      DefinitionString['Fn::Join'][1] = parts.map((part) =>
        typeof part === 'string' ? part.replace('"StringEquals":"COMPLETED"', '"StringEquals":"DONE"') : part,
      );
    },
    found: /^on the queue: parcel DELIVERED: item 0 QUARANTINE, item 1 QUARANTINE$/,
  },
];

for (const { of, do: damage, found } of DAMAGES)
  test(
    `finds the damage: ${of}`,
    async () => {
      const template = changed(assembly.template, ({ Resources }) => damage(Resources));

      const followed = await follow({ template });

      expect(inSentences(followed)).toContainEqual(expect.stringMatching(found));
    },
    PATIENCE_MS,
  );

function patternIn(resources: Resources): { 'detail-type': string[] } {
  return resources[idOf(assembly.template, 'AWS::Events::Rule', 'BusWarehouse')]!.Properties.EventPattern;
}
