import validate from 'asl-validator';
import { Duration } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import type { Goods } from '../../functions/sample-warehouse/goods-table.ts';
import type { ParcelWorkflow } from '../../functions/sample-warehouse/parcel-workflow.ts';
import { createWarehouseHandlers } from '../../functions/sample-warehouse/warehouse-handlers.ts';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { SampleWarehouse } from '../../infra/sample-warehouse.ts';
import { SampleWarehouseStack } from '../../infra/sample-warehouse-stack.ts';
import { STAGES } from '../../infra/stages.ts';
import { WAREHOUSE_TABLE } from '../../shared/deployment/sample-warehouse.ts';
import { resolve } from './resolve-intrinsics.ts';
import { aFeed, aFunction, newUnbundledApp } from './synthesize.ts';
import { resourceOf, statementsOf } from './template.ts';

function aWarehouse(props: Partial<ConstructorParameters<typeof SampleWarehouse>[2]> = {}) {
  const { stack, feed, template } = aFeed();
  new SampleWarehouse(stack, 'Warehouse', { feed, ...props });
  return { stack, feed, template: template() };
}

const ordered = aWarehouse();
const bus = aWarehouse({ subscribeTo: 'bus' });
const types = Object.keys(
  createWarehouseHandlers({ goods: {} as Goods, workflow: {} as ParcelWorkflow }),
).toSorted();

const placed = (['ordered', 'bus'] as const).flatMap((sampleWarehouse) =>
  Object.values(STAGES).map((stage) => ({ ...stage, sampleWarehouse })),
);

test.each(placed)(
  'on the $sampleWarehouse it is a separate stack next to $stackName, and is destroyed with it',
  (stage) => {
    const app = newUnbundledApp();
    const { feed } = new ReturnsFeedStack(app, stage);

    const { stackName } = new SampleWarehouseStack(app, feed, stage);

    expect(stackName).toBe(`${stage.stackName}SampleWarehouse`);
    const { dependencies } = app.synth().getStackByName(stackName);
    expect(dependencies.map(({ id }) => id)).toContain(stage.stackName);
  },
);

describe('the workflow', () => {
  const definitionOf = ({ template }: ReturnType<typeof aWarehouse>) => {
    const { Properties } = resourceOf(template, 'AWS::StepFunctions::StateMachine', 'Warehouse');
    const ref = (id: string) => (id === 'AWS::Partition' ? 'aws' : id);
    return JSON.parse(
      resolve(Properties.DefinitionString, { ref, attribute: (id, name) => `${id}.${name}` }),
    );
  };

  test('is accepted as Amazon States Language by an independent validator', () => {
    const { isValid, errorsText } = validate(definitionOf(ordered));

    expect([isValid, errorsText?.()]).toEqual([true, '']);
  });

  test('waits for the configured time', () => {
    const definition = definitionOf(aWarehouse({ timeLimit: Duration.hours(2) }));

    expect(JSON.stringify(definition)).toContain('"TimeoutSeconds":7200');
  });

  test('may only use its table, logs and traces', () => {
    const [table, wide, ...others] = statementsOf(ordered.template, 'WarehouseParcelStateMachineRole');

    expect(table).toMatchObject({ actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] });
    expect(wide?.resources).toEqual(['*']);
    expect(wide?.actions.filter((it) => !/^(logs|xray):/.test(it))).toEqual([]);
    expect(others).toEqual([]);
  });
});

test('the function may only use its own table and state machine, and nothing by a wildcard', () => {
  const statements = [ordered, bus].flatMap(({ template }) => statementsOf(template, 'WarehouseSubscriber'));
  const actions = new Set(statements.flatMap((it) => it.actions));

  expect([...actions].filter((it) => /^(dynamodb|states):/.test(it)).toSorted()).toEqual([
    ...['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
    ...['states:SendTaskSuccess', 'states:StartExecution'],
  ]);
  expect(statements.filter((it) => /\*/.test([...it.actions, ...it.resources].join()))).toEqual([]);
});

test('it gets all events that have handlers, from the topic or the bus', () => {
  const { FilterPolicy } = resourceOf(ordered.template, 'AWS::SNS::Subscription', 'Warehouse').Properties;
  const { EventPattern } = resourceOf(bus.template, 'AWS::Events::Rule', 'Warehouse').Properties;

  expect(FilterPolicy).toEqual({ type: expect.any(Array) });
  expect(FilterPolicy.type.toSorted()).toEqual(types);
  expect(EventPattern['detail-type'].toSorted()).toEqual(types);
});

test('a function of a user may have the id that its function has', () => {
  const { stack, feed } = aWarehouse();

  expect(() => feed.addOrderedSubscriber(aFunction(stack))).not.toThrow();
});

test('its table has the keys that the function expects', () => {
  const { Properties } = resourceOf(ordered.template, 'AWS::DynamoDB::Table', 'Warehouse');

  expect(Properties.KeySchema).toEqual([
    { AttributeName: WAREHOUSE_TABLE.partitionKey.name, KeyType: 'HASH' },
    { AttributeName: WAREHOUSE_TABLE.sortKey.name, KeyType: 'RANGE' },
  ]);
  expect(Properties.TimeToLiveSpecification.AttributeName).toBe(WAREHOUSE_TABLE.timeToLive);
});
