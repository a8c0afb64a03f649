// All branches of the workflow, on events of the feed: an interpreter runs the state machine of the template, with its
// function and its table.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import validate from 'asl-validator';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../engines/dynamodb-engine.ts';
import { connectDynamoDb } from '../../engines/sdk-clients.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { statesOf } from '../../step-functions/executions.ts';
import { type RecordedStory, recordStories, STORIES } from './parcel-stories.ts';
import { definitionFor, startWarehouse, type Warehouse } from './start-warehouse.ts';

const TIME_LIMIT_SECONDS = 14 * 24 * 60 * 60;

let engine: DynamoDbEngine;
let dynamoDb: DynamoDBClient;
let stories: readonly RecordedStory[];
const running: Warehouse[] = [];

beforeAll(async () => {
  [engine, stories] = await Promise.all([startDynamoDbEngine(), recordStories()]);
  dynamoDb = connectDynamoDb(engine.endpoint);
  // Do the slow loading here, outside of the first test's time.
  definitionFor('any');
}, 120_000);
afterEach(async () => {
  for (const { stop } of running.splice(0)) await stop();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  dynamoDb.destroy();
  await engine.stop();
});

async function start(): Promise<Warehouse> {
  const warehouse = await startWarehouse(dynamoDb, engine.endpoint);
  running.push(warehouse);
  return warehouse;
}

test('an independent validator accepts its definition as Amazon States Language', () => {
  const { isValid, errorsText } = validate(JSON.parse(definitionFor('any')));

  expect([isValid, errorsText?.()]).toEqual([true, '']);
});

const story = (name: keyof typeof STORIES): RecordedStory => stories.find((it) => it.name === name)!;

const isDelivery = ({ type, data }: FeedEvent) =>
  type.startsWith('shipment.') && 'status' in data.object && data.object.status === 'DELIVERED';

async function endsOf(warehouse: Warehouse, { group, parts }: RecordedStory) {
  const decisions = await warehouse.decisions(`acme/${group}`);
  return Object.fromEntries(Object.entries(decisions).map(([part, decision]) => [parts[part], decision]));
}

const allEnded = ({ stepFunctions: { executions } }: Warehouse, names = executions.names()) =>
  Promise.all(names.map((name) => executions.ended(name)));

describe('events of the queue, in their order', () => {
  test.each(Object.keys(STORIES) as (keyof typeof STORIES)[])('%s', async (name) => {
    const { events, ends, waits, timeOuts = 0, workflows = 1, ...others } = story(name);
    const warehouse = await start();
    const { stepFunctions } = warehouse;
    const { handle } = await warehouse.startProcess();
    const arrival = events.findIndex(isDelivery) + 1;

    await handle(events.slice(0, arrival));
    await stepFunctions.untilWaiting(waits);
    await handle(events.slice(arrival));
    await stepFunctions.untilWaiting(timeOuts);
    if (timeOuts > 0) stepFunctions.passTime(TIME_LIMIT_SECONDS);
    await allEnded(warehouse);

    expect(await endsOf(warehouse, { events, ends, waits, ...others })).toEqual(ends);
    expect(stepFunctions.executions.names()).toHaveLength(workflows);
    expect(events.filter(isDelivery).map(({ id }) => id)).toEqual(
      expect.arrayContaining([...stepFunctions.executions.names()]),
    );
  });

  test('an execution returns its decisions', async () => {
    const { events, parts } = story('a line item is canceled');
    const [first, second] = Object.keys(parts);
    const warehouse = await start();
    const { handle } = await warehouse.startProcess();

    await handle(events);

    expect(await allEnded(warehouse)).toEqual([
      expect.objectContaining({
        decisions: [
          { part: first, decision: 'RESTOCK' },
          { part: second, decision: 'QUARANTINE' },
        ],
      }),
    ]);
  });
});

describe('the time limit', () => {
  test('ends the wait for a line item without any event', async () => {
    const followed = story('nothing is heard of a line item');
    const [, silent] = Object.keys(followed.parts);
    const ofSilent = `/return-line-items/${silent?.split('/')[1]}`;
    const events = followed.events.filter(({ subject }) => !subject.endsWith(ofSilent));
    const warehouse = await start();
    const { handle } = await warehouse.startProcess();
    await handle(events);
    await warehouse.stepFunctions.untilWaiting(1);

    warehouse.stepFunctions.passTime(TIME_LIMIT_SECONDS);
    await allEnded(warehouse);

    expect(events).toHaveLength(followed.events.length - 1);
    expect(await endsOf(warehouse, followed)).toEqual({ 'item 0': 'RESTOCK', 'item 1': 'ESCALATE' });
  });

  test('does not pass a second early', async () => {
    const followed = story('all is as it should be');
    const arrival = followed.events.findIndex(isDelivery) + 1;
    const warehouse = await start();
    const { handle } = await warehouse.startProcess();
    await handle(followed.events.slice(0, arrival));
    await warehouse.stepFunctions.untilWaiting(2);

    warehouse.stepFunctions.passTime(TIME_LIMIT_SECONDS - 1);
    await handle(followed.events.slice(arrival));
    await allEnded(warehouse);

    expect(await endsOf(warehouse, followed)).toEqual(followed.ends);
  });

  test('ignores later events without a failure', async () => {
    const followed = story('all is as it should be');
    const arrival = followed.events.findIndex(isDelivery) + 1;
    const warehouse = await start();
    const { handle } = await warehouse.startProcess();
    await handle(followed.events.slice(0, arrival));
    await warehouse.stepFunctions.untilWaiting(2);
    warehouse.stepFunctions.passTime(TIME_LIMIT_SECONDS);
    await allEnded(warehouse);

    await handle(followed.events.slice(arrival));

    expect(await endsOf(warehouse, followed)).toEqual({ 'item 0': 'ESCALATE', 'item 1': 'ESCALATE' });
  });
});

test.each([1, 2, 3, 4])(
  'the result is the same with every event twice and in any order on the bus (seed %i)',
  async (seed) => {
    const random = createSeededRandom(seed);
    const events = stories.flatMap((it) => [...it.events, ...it.events]);
    const shuffled = events
      .map((event) => ({ event, place: random.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ event }) => event);
    const warehouse = await start();
    const processes = [await warehouse.startProcess(), await warehouse.startProcess()];

    // Two at a time, each in its own process.
    for (let place = 0; place < shuffled.length; place += 2)
      await Promise.all(
        shuffled.slice(place, place + 2).map((event, at) => processes[at]!.handleOnBus(event)),
      );
    const { executions } = warehouse.stepFunctions;
    const silent = `_${story('nothing is heard of a line item').group}_`;
    await allEnded(
      warehouse,
      executions.names().filter((name) => !name.includes(silent)),
    );
    await warehouse.stepFunctions.untilWaiting(1);
    warehouse.stepFunctions.passTime(TIME_LIMIT_SECONDS);
    await allEnded(warehouse);

    for (const followed of stories)
      expect([followed.name, await endsOf(warehouse, followed)]).toEqual([followed.name, followed.ends]);
    expect(executions.names()).toHaveLength(stories.reduce((sum, { workflows = 1 }) => sum + workflows, 0));
  },
);

test('the stories visit all states and all error paths', async () => {
  const sum = (count: (followed: RecordedStory) => number) =>
    stories.reduce((all, followed) => all + count(followed), 0);
  const warehouse = await start();
  const { handle } = await warehouse.startProcess();
  const { executions, passTime, untilWaiting } = warehouse.stepFunctions;

  for (const { events } of stories) await handle(events.slice(0, events.findIndex(isDelivery) + 1));
  await untilWaiting(sum(({ waits }) => waits));
  for (const { events } of stories) await handle(events.slice(events.findIndex(isDelivery) + 1));
  await untilWaiting(sum(({ timeOuts = 0 }) => timeOuts));
  passTime(TIME_LIMIT_SECONDS);
  await allEnded(warehouse);

  const states = statesOf(JSON.parse(definitionFor('any')));
  expect([...executions.visited()].sort()).toEqual(Object.keys(states).sort());
  expect([...executions.caught()]).toEqual(['Wait for a status > Read the line item']);
});
