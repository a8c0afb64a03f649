// Executions of one state machine, by name. A task runs the action of its `Resource`.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { callDynamoDb } from './call-dynamodb.ts';
import type { State, StateMachineDefinition } from './states-definition.ts';
import { createStateMachine } from './states-language.ts';
import type { TaskTokens } from './task-tokens.ts';

export interface Executions {
  /** @returns false if the name is taken, unless that execution runs with the same input */
  start(name: string, input: string): boolean;
  /** All started executions, in order. */
  names(): readonly string[];
  /** The result. @throws if it fails, or was never started */
  ended(name: string): Promise<unknown>;
  /** The states that executions have entered. */
  visited(): ReadonlySet<string>;
  /** Pairs of states, the second entered because of an error of the first: `A > B`. */
  caught(): ReadonlySet<string>;
}

export interface ExecutionsOptions {
  readonly definition: StateMachineDefinition;
  readonly dynamoDb: DynamoDBClient;
  readonly tokens: TaskTokens;
}

interface Execution {
  readonly input: string;
  readonly result: Promise<unknown>;
  over: boolean;
}

export function createExecutions({ definition, dynamoDb, tokens }: ExecutionsOptions): Executions {
  const executions = new Map<string, Execution>();
  const visited = new Set<string>();
  const caught = new Set<string>();
  const run = createStateMachine(definition);

  function begin(name: string, input: string): Promise<unknown> {
    const context = {
      Execution: { Name: name },
      // Each read issues the token of another task.
      Task: {
        get Token() {
          return tokens.issue();
        },
      },
    };
    return run(JSON.parse(input), {
      context,
      runTask: (state, parameters) => runTask(state, parameters as object, { dynamoDb, tokens }),
      onEntered: (state) => void visited.add(state),
      onCaught: (state, next) => void caught.add(`${state} > ${next}`),
    });
  }

  return {
    start(name, input) {
      const known = executions.get(name);
      if (known !== undefined) return !known.over && known.input === input;
      const result = begin(name, input);
      const execution = { input, result, over: false };
      executions.set(name, execution);
      // Callers of `ended` get the failure.
      result.catch(() => {}).then(() => (execution.over = true));
      return true;
    },
    names: () => [...executions.keys()],
    async ended(name) {
      const execution = executions.get(name);
      if (execution === undefined) throw new Error(`No execution ${name} was started.`);
      return execution.result;
    },
    visited: () => visited,
    caught: () => caught,
  };
}

/** All states, including those of its maps; names are unique in a state machine. */
export function statesOf({ States }: StateMachineDefinition): Readonly<Record<string, State>> {
  const entries = Object.entries(States);
  const inner = entries.map(([, { ItemProcessor }]) => (ItemProcessor ? statesOf(ItemProcessor) : {}));
  return Object.assign({}, Object.fromEntries(entries), ...inner);
}

async function runTask(
  { Resource = '', TimeoutSeconds = Number.POSITIVE_INFINITY }: State,
  parameters: object,
  { dynamoDb, tokens }: Pick<ExecutionsOptions, 'dynamoDb' | 'tokens'>,
): Promise<unknown> {
  const [, action = '', waits] =
    /:states:::aws-sdk:dynamodb:(\w+)(\.waitForTaskToken)?$/.exec(Resource) ?? [];
  if (waits === undefined) return callDynamoDb(dynamoDb, action, parameters);
  const token = tokens.findIn(parameters);
  try {
    await callDynamoDb(dynamoDb, action, parameters);
  } catch (error) {
    tokens.drop(token);
    throw error;
  }
  return tokens.wait(token, TimeoutSeconds);
}
