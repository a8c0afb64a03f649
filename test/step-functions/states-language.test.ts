import { describe, expect, test } from 'vitest';
import type { State, StateMachineDefinition } from './states-definition.ts';
import { createStateMachine, named } from './states-language.ts';

interface Ran {
  readonly result: unknown;
  readonly entered: readonly string[];
  readonly caught: readonly string[];
  readonly parameters: readonly unknown[];
}

/** @param answers the results of the tasks, in order; an error fails its task */
async function run(
  States: Record<string, object>,
  input: unknown,
  answers: readonly unknown[] = [],
): Promise<Ran> {
  const definition = { StartAt: Object.keys(States)[0], States } as StateMachineDefinition;
  const [entered, caught, parameters]: [string[], string[], unknown[]] = [[], [], []];
  const result = await createStateMachine(definition)(input, {
    context: { Execution: { Name: 'execution' } },
    runTask: async (_state: State, given) => {
      parameters.push(given);
      const answer = answers[parameters.length - 1];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onEntered: (state) => entered.push(state),
    onCaught: (state, next) => caught.push(`${state} > ${next}`),
  });
  return { result, entered, caught, parameters };
}

const PASS = { Type: 'Pass', End: true };

describe('data', () => {
  test('a task gets its template, filled from input and context', async () => {
    const Parameters = {
      fixed: 1,
      'part.$': '$.list[1].id',
      deep: { 'all.$': 'States.Array($.a, $$.Execution.Name)' },
    };

    const { parameters } = await run(
      { Task: { Type: 'Task', Parameters, End: true } },
      { a: 'x', list: [0, { id: 7 }] },
    );

    expect(parameters).toEqual([{ fixed: 1, part: 7, deep: { all: ['x', 'execution'] } }]);
  });

  test.each([
    ['replaces the input', {}, { n: 1 }],
    ['is added to it', { ResultPath: '$.found' }, { given: true, found: { n: 1 } }],
    ['is dropped', { ResultPath: null }, { given: true }],
    [
      'is selected from first',
      { ResultSelector: { 'm.$': '$.n' }, ResultPath: '$.found' },
      { given: true, found: { m: 1 } },
    ],
  ])('a result %s', async (_, fields, expected) => {
    const { result } = await run({ Task: { Type: 'Task', ...fields, End: true } }, { given: true }, [
      { n: 1 },
    ]);

    expect(result).toEqual(expected);
  });

  test('a path to a missing value fails the execution', async () => {
    const states = { Task: { Type: 'Task', Parameters: { 'a.$': '$.nothing' }, End: true } };

    await expect(run(states, {})).rejects.toThrow('nothing at $.nothing');
  });

  test('a map runs each item with the input of its selector, and keeps their order', async () => {
    const ItemProcessor = { StartAt: 'Each', States: { Each: PASS } };
    const ItemSelector = { 'item.$': '$$.Map.Item.Value', 'of.$': '$.group' };
    const states = {
      All: {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemSelector,
        ItemProcessor,
        ResultPath: '$.done',
        End: true,
      },
    };

    const { result, entered } = await run(states, { group: 'g', items: ['a', 'b'] });

    expect(result).toMatchObject({
      done: [
        { item: 'a', of: 'g' },
        { item: 'b', of: 'g' },
      ],
    });
    expect(entered).toEqual(['All', 'Each', 'Each']);
  });
});

describe('failures', () => {
  const failing = (fields: object) => ({
    Task: { Type: 'Task', Next: 'After', ...fields },
    After: PASS,
    Other: PASS,
  });
  const error = named('Service.Conflict', 'taken');

  test('are retried as often as the first matching retrier allows', async () => {
    const Retry = [
      { ErrorEquals: ['Service.Other'], MaxAttempts: 9 },
      { ErrorEquals: ['States.TaskFailed'], MaxAttempts: 2 },
    ];

    const through = await run(failing({ Retry }), {}, [error, error, 'fine']);

    expect(through.result).toBe('fine');
    await expect(run(failing({ Retry }), {}, [error, error, error])).rejects.toThrow('taken');
  });

  test('are retried three times by default, and never with zero attempts', async () => {
    const with3 = failing({ Retry: [{ ErrorEquals: ['States.ALL'] }] });
    const with0 = failing({ Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 0 }] });

    expect((await run(with3, {}, [error, error, error, 'fine'])).result).toBe('fine');
    await expect(run(with0, {}, [error, 'fine'])).rejects.toThrow('taken');
  });

  test("lead to the catcher's state, with the error at the catcher's path", async () => {
    const Catch = [{ ErrorEquals: ['Service.Conflict'], ResultPath: '$.error', Next: 'Other' }];

    const { result, entered, caught } = await run(failing({ Catch }), { given: true }, [error]);

    expect(result).toEqual({ given: true, error: { Error: 'Service.Conflict', Cause: 'taken' } });
    expect(entered).toEqual(['Task', 'Other']);
    expect(caught).toEqual(['Task > Other']);
  });

  test('a passed time limit does not count as States.TaskFailed', async () => {
    const Catch = [{ ErrorEquals: ['States.TaskFailed'], ResultPath: null, Next: 'Other' }];

    await expect(run(failing({ Catch }), {}, [named('States.Timeout', 'over')])).rejects.toThrow('over');
  });
});

describe('choices', () => {
  const choice = (rule: object, fields = { Default: 'No' }) => ({
    Choice: { Type: 'Choice', Choices: [{ ...rule, Next: 'Yes' }], ...fields },
    Yes: PASS,
    No: PASS,
  });
  const is = (value: string) => ({ Variable: '$.status', StringEquals: value });

  test.each([
    [{ Variable: '$.status', IsPresent: true }, 'Yes'],
    [{ Variable: '$.nothing', IsPresent: true }, 'No'],
    [{ Variable: '$.nothing', IsPresent: false }, 'Yes'],
    [is('OPEN'), 'Yes'],
    [{ Not: is('OPEN') }, 'No'],
    [{ Or: [is('DONE'), is('OPEN')] }, 'Yes'],
    [{ And: [is('OPEN'), is('DONE')] }, 'No'],
  ])('%j leads to %s', async (rule, next) => {
    const { entered } = await run(choice(rule), { status: 'OPEN' });

    expect(entered.at(-1)).toBe(next);
  });

  test('a comparison with a missing value fails, and so does a choice without a matching rule', async () => {
    await expect(run(choice(is('OPEN')), {})).rejects.toThrow('nothing at $.status');
    await expect(run(choice(is('DONE'), {} as never), { status: 'OPEN' })).rejects.toThrow('No rule matches');
  });
});

test.each([
  ['a type', { State: { Type: 'Wait', Seconds: 1, End: true } }, 'type Wait'],
  ['a field', { State: { ...PASS, OutputPath: '$.a' } }, 'OutputPath'],
  ['a path', { State: { Type: 'Task', Parameters: { 'a.$': '$..b' }, End: true } }, '$..b'],
  [
    'a function',
    { State: { Type: 'Task', Parameters: { a: [{ 'b.$': 'States.UUID()' }] }, End: true } },
    'States.UUID',
  ],
  [
    'a rule',
    { State: { Type: 'Choice', Choices: [{ Variable: '$.a', IsNull: true, Next: 'State' }] } },
    'IsNull',
  ],
  ['a result deep inside', { State: { Type: 'Task', ResultPath: '$.a.b', End: true } }, '$.a.b'],
  ['a transition to a missing state', { State: { Type: 'Pass', Next: 'Nowhere' } }, 'Nowhere'],
])('%s is rejected before anything runs', async (_, states, named) => {
  await expect(run(states as never, {})).rejects.toThrow(named);
});
