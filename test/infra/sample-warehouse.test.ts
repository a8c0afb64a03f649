import validate from 'asl-validator';
import { Duration } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
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
import { aFeed, aFunction, newUnbundledApp, resourceOf, statementsOf } from './synthesize.ts';

function aWarehouse(props: Partial<ConstructorParameters<typeof SampleWarehouse>[2]> = {}) {
  const { stack, feed, template } = aFeed();
  const warehouse = new SampleWarehouse(stack, 'Warehouse', { feed, ...props });
  return { stack, feed, warehouse, template: template() };
}

const ordered = aWarehouse();
const bus = aWarehouse({ subscribeTo: 'bus' });

test.each([ordered, bus])('the checks have no findings', ({ stack, warehouse }) => {
  const { violations } = new AwsSolutionsChecks(stack, { verbose: true }).validateScope(warehouse);

  expect(violations).toEqual([]);
});

const placed = (['ordered', 'bus'] as const).flatMap((sampleWarehouse) =>
  Object.values(STAGES).map((stage) => ({ ...stage, sampleWarehouse })),
);

test.each(placed)(
  'on the $sampleWarehouse it is a separate stack next to $stackName, and is destroyed with it',
  (stage) => {
    const app = newUnbundledApp();
    const { feed } = new ReturnsFeedStack(app, stage);

    const { stackName, warehouse } = new SampleWarehouseStack(app, feed, stage);

    expect(stackName).toBe(`${stage.stackName}SampleWarehouse`);
    expect(
      app
        .synth()
        .getStackByName(stackName)
        .dependencies.map(({ id }) => id),
    ).toContain(stage.stackName);
    expect(new AwsSolutionsChecks(app).validateScope(warehouse).violations).toEqual([]);
  },
);

test('an independent validator accepts the workflow as Amazon States Language', () => {
  const { Properties } = resourceOf(ordered.template, 'AWS::StepFunctions::StateMachine', 'Warehouse');
  const ref = (id: string) => (id === 'AWS::Partition' ? 'aws' : id);
  const names = { ref, attribute: (id: string, name: string) => `${id}.${name}` };

  const { isValid, errorsText } = validate(JSON.parse(resolve(Properties.DefinitionString, names)));

  expect([isValid, errorsText?.()]).toEqual([true, '']);
});

test("the workflow's log needs no room in the account's resource policy for logs", () => {
  const { Properties } = resourceOf(ordered.template, 'AWS::Logs::LogGroup', 'WorkflowLogs');

  expect(Properties.LogGroupName).toMatch(/^\/aws\/vendedlogs\/states\/Shop-/);
});

describe('roles', () => {
  test('the function may only use its own table and state machine', () => {
    const actions = statementsOf(ordered.template, 'WarehouseSubscriberRole').flatMap((it) => it.actions);

    expect(actions.filter((it) => /^(dynamodb|states):/.test(it)).sort()).toEqual([
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      'states:SendTaskSuccess',
      'states:StartExecution',
    ]);
  });

  test('the workflow may only use its table, logs and traces', () => {
    const statements = statementsOf(ordered.template, 'WarehouseParcelStateMachineRole');

    const [table, wide, ...others] = statements;
    expect(table).toMatchObject({ actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] });
    expect(wide?.resources).toEqual(['*']);
    expect(wide?.actions.filter((it) => !/^(logs|xray):/.test(it))).toEqual([]);
    expect(others).toEqual([]);
  });

  test('no other permission has a wildcard', () => {
    const statements = [ordered, bus].flatMap(({ template }) =>
      statementsOf(template, 'WarehouseSubscriber'),
    );

    expect(statements.length).toBeGreaterThan(6);
    expect(statements.filter((it) => /\*/.test([...it.actions, ...it.resources].join()))).toEqual([]);
  });
});

describe('the source of its events', () => {
  test('is an ordered subscription with all events that have handlers', () => {
    const { template } = ordered;

    const handlers = createWarehouseHandlers({ goods: {} as Goods, workflow: {} as ParcelWorkflow });
    const { FilterPolicy } = resourceOf(template, 'AWS::SNS::Subscription', 'Warehouse').Properties;
    expect(FilterPolicy).toEqual({ type: expect.any(Array) });
    expect([...FilterPolicy.type].sort()).toEqual(Object.keys(handlers).sort());
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('WarehouseSubscriberFunctionQueue'), 'Arn'] },
    });
  });

  test('adds no subscription to the topic', () => {
    const { stack, feed } = aWarehouse();

    const subscribe = () => feed.addOrderedSubscriber(aFunction(stack));

    expect(subscribe).not.toThrow();
  });

  test('is a rule for all events with handlers, with a dead-letter queue', () => {
    const { template } = bus;
    const { Properties } = resourceOf(template, 'AWS::Events::Rule', 'Warehouse');

    const handlers = createWarehouseHandlers({ goods: {} as Goods, workflow: {} as ParcelWorkflow });
    expect(Properties.EventPattern['detail-type'].sort()).toEqual(Object.keys(handlers).sort());
    expect(Properties.Targets[0].DeadLetterConfig.Arn).toEqual({
      'Fn::GetAtt': [expect.stringContaining('WarehouseDeadLetters'), 'Arn'],
    });
    expect(resourceOf(template, 'AWS::Lambda::Function', 'Warehouse').Properties.Handler).toBe('index.onBus');
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 3);
    expect(resourceOf(template, 'AWS::CloudWatch::Alarm', 'EventsLost').Properties).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [
        { Value: { 'Fn::GetAtt': [expect.stringContaining('WarehouseDeadLetters'), 'QueueName'] } },
      ],
    });
  });
});

describe('the workflow', () => {
  test('logs its steps without their data, and traces them', () => {
    const { Properties } = resourceOf(ordered.template, 'AWS::StepFunctions::StateMachine', 'Warehouse');

    expect(Properties.LoggingConfiguration).toMatchObject({ IncludeExecutionData: false, Level: 'ALL' });
    expect(Properties.TracingConfiguration).toEqual({ Enabled: true });
  });

  test('waits for the configured time', () => {
    const { template } = aWarehouse({ timeLimit: Duration.hours(2) });
    const { Properties } = resourceOf(template, 'AWS::StepFunctions::StateMachine', 'Warehouse');

    expect(JSON.stringify(Properties.DefinitionString)).toContain('\\"TimeoutSeconds\\":7200');
  });
});

test('the table has the keys that the function expects, and is retained when the stack is deleted', () => {
  const { DeletionPolicy, Properties } = resourceOf(ordered.template, 'AWS::DynamoDB::Table', 'Warehouse');

  expect(Properties.KeySchema).toEqual([
    { AttributeName: WAREHOUSE_TABLE.partitionKey.name, KeyType: 'HASH' },
    { AttributeName: WAREHOUSE_TABLE.sortKey.name, KeyType: 'RANGE' },
  ]);
  expect(Properties.TimeToLiveSpecification).toEqual({
    AttributeName: WAREHOUSE_TABLE.timeToLive,
    Enabled: true,
  });
  expect(DeletionPolicy).toBe('Retain');
  expect(Properties.DeletionProtectionEnabled).toBe(true);
});
