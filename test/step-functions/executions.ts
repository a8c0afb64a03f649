// Executions of one state machine, by their names. A task does what its `Resource` says.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { callDynamoDb } from './call-dynamodb.ts';
import type { State, StateMachineDefinition } from './states-definition.ts';
import { createStateMachine } from './states-language.ts';
import type { TaskTokens } from './task-tokens.ts';

export interface Executions {
  /** @returns false if there was one of that name, unless it runs and was started with the same input */
  start(name: string, input: string): boolean;
  /** All that were started, in that order. */
  names(): readonly string[];
  /** What it ends with. @throws if it fails, or was never started */
  ended(name: string): Promise<unknown>;
  /** States that executions have come to. */
  visited(): ReadonlySet<string>;
  /** Pairs of states, the second of which was come to because of an error of the first: `A > B`. */
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
      // Each time it is looked at it is another task's.
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
      // Whoever asks for the result is told of a failure.
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

/** Those of its maps included; names are unique in a state machine. */
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
