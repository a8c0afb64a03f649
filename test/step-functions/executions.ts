// Executions of one state machine, by their names. The interpreter takes each task's work from a function given by
// the state's name; here all states of the definition get one that does what their `Resource` says.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StateMachine, StateMachineDefinition } from 'aws-local-stepfunctions';
import { callDynamoDb } from './call-dynamodb.ts';
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
  stop(): void;
}

export interface ExecutionsOptions {
  readonly definition: StateMachineDefinition;
  readonly dynamoDb: DynamoDBClient;
  readonly tokens: TaskTokens;
}

type Run = ReturnType<StateMachine['run']>;

interface Execution {
  readonly input: string;
  readonly running: Promise<Run>;
  readonly result: Promise<unknown>;
  over: boolean;
}

export function createExecutions({ definition, ...world }: ExecutionsOptions): Executions {
  const executions = new Map<string, Execution>();
  const visited = new Set<string>();
  const caught = new Set<string>();
  const states = statesOf(definition);
  const overrides = {
    taskResourceLocalHandlers: Object.fromEntries(
      Object.entries(states)
        .filter(([, { Type }]) => Type === 'Task')
        .map(([name, state]) => [name, taskOf(state, world) as never]),
    ),
    retryIntervalOverrides: Object.fromEntries(Object.keys(states).map((name) => [name, 0])),
  };
  const machine = loadInterpreter().then((Interpreter) => new Interpreter(definition));

  async function begin(name: string, input: string): Promise<Run> {
    const context = {
      Execution: { Name: name },
      // Each time it is looked at it is another task's.
      Task: {
        get Token() {
          return world.tokens.issue();
        },
      },
    };
    const run = (await machine).run(JSON.parse(input), { overrides, context });
    void note(run.eventLogs, visited, caught);
    return run;
  }

  return {
    start(name, input) {
      const known = executions.get(name);
      if (known !== undefined) return !known.over && known.input === input;
      const running = begin(name, input);
      const result = running.then((run) => run.result);
      const execution = { input, running, result, over: false };
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
    stop() {
      for (const { running } of executions.values()) running.then((run) => run.abort()).catch(() => {});
    },
  };
}

/** It asks for Node 22 for one method alone, which Node 20 has not; all tests run on both. */
export async function loadInterpreter(): Promise<typeof StateMachine> {
  if (!('withResolvers' in Promise)) {
    Object.assign(Promise, {
      withResolvers() {
        const settle = {};
        const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
        return { promise, ...settle };
      },
    });
  }
  return (await import('aws-local-stepfunctions')).StateMachine;
}

interface TaskState {
  readonly Type: string;
  readonly Resource?: string;
  readonly TimeoutSeconds?: number;
  readonly ItemProcessor?: StateMachineDefinition;
}

/** Those of its maps included; names are unique in a state machine. */
export function statesOf({ States }: StateMachineDefinition): Readonly<Record<string, TaskState>> {
  const entries = Object.entries(States as Record<string, TaskState>);
  const inner = entries.map(([, { ItemProcessor }]) => (ItemProcessor ? statesOf(ItemProcessor) : {}));
  return Object.assign({}, Object.fromEntries(entries), ...inner);
}

function taskOf(
  { Resource = '', TimeoutSeconds = Number.POSITIVE_INFINITY }: TaskState,
  { dynamoDb, tokens }: Omit<ExecutionsOptions, 'definition'>,
) {
  const [, action = '', waits] =
    /:states:::aws-sdk:dynamodb:(\w+)(\.waitForTaskToken)?$/.exec(Resource) ?? [];
  if (waits === undefined) return (parameters: object) => callDynamoDb(dynamoDb, action, parameters);
  return async (parameters: object) => {
    const token = tokens.findIn(parameters);
    try {
      await callDynamoDb(dynamoDb, action, parameters);
    } catch (error) {
      tokens.drop(token);
      throw error;
    }
    return tokens.wait(token, TimeoutSeconds);
  };
}

async function note(logs: Run['eventLogs'], visited: Set<string>, caught: Set<string>): Promise<void> {
  for await (const event of logs) {
    if (event.type === 'StateEntered') visited.add(event.state.name);
    if (event.type === 'StateCaught') caught.add(`${event.state.name} > ${event.catch.catcher.Next}`);
  }
}
