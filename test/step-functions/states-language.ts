// An interpreter of the Amazon States Language (JSONPath), as far as this project's state machines use it. It rejects
// unsupported definitions before it runs, so that it never interprets a state differently from AWS.
// https://states-language.net and
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-amazon-states-language.html
import { fillTemplate, putResult, readPath, type Scope } from './state-data.ts';
import type { Retrier, Rule, State, StateMachineDefinition } from './states-definition.ts';
import { checkKnown } from './states-known.ts';

export interface StateMachineWorld {
  /** The context object: `$$` in paths. */
  readonly context: object;
  /** Runs a task; it fails with an error, and `Retry` and `Catch` match the error's name. */
  readonly runTask: (state: State, parameters: unknown) => Promise<unknown>;
  readonly onEntered: (state: string) => void;
  readonly onCaught: (state: string, next: string) => void;
}

/** @throws Error that names an unsupported part of the definition */
export function createStateMachine(definition: StateMachineDefinition) {
  checkKnown(definition);
  /** @returns the execution's result. @throws the execution's error */
  return (input: unknown, world: StateMachineWorld): Promise<unknown> => run(definition, input, world);
}

async function run(
  { StartAt, States }: StateMachineDefinition,
  input: unknown,
  world: StateMachineWorld,
): Promise<unknown> {
  let data = input;
  for (let name: string | undefined = StartAt; name !== undefined; ) {
    const state: State = stateOf(States, name);
    world.onEntered(name);
    if (state.Type === 'Choice') name = choose(state, { data, context: world.context });
    else [data, name] = await runOrCatch(name, state, data, world);
  }
  return data;
}

function stateOf(states: StateMachineDefinition['States'], name: string): State {
  const state = states[name];
  if (state === undefined) throw new Error(`There is no state ${name}.`);
  return state;
}

type Step = [data: unknown, next: string | undefined];

async function runOrCatch(
  name: string,
  state: State,
  data: unknown,
  world: StateMachineWorld,
): Promise<Step> {
  try {
    return [await runWithRetries(state, data, world), state.Next];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const catcher = state.Catch?.find(({ ErrorEquals }) => matches(ErrorEquals, error));
    if (catcher === undefined) throw error;
    world.onCaught(name, catcher.Next);
    const output = { Error: error.name, Cause: error.message };
    return [putResult(data, output, catcher.ResultPath), catcher.Next];
  }
}

/** Skips the pauses between tries. */
async function runWithRetries(state: State, data: unknown, world: StateMachineWorld): Promise<unknown> {
  const tries = new Map<Retrier, number>();
  for (;;) {
    try {
      return await runState(state, data, world);
    } catch (error) {
      const retrier =
        error instanceof Error
          ? state.Retry?.find(({ ErrorEquals }) => matches(ErrorEquals, error))
          : undefined;
      if (retrier === undefined) throw error;
      const tried = tries.get(retrier) ?? 0;
      if (tried >= (retrier.MaxAttempts ?? 3)) throw error;
      tries.set(retrier, tried + 1);
    }
  }
}

async function runState(state: State, data: unknown, world: StateMachineWorld): Promise<unknown> {
  if (state.Type === 'Pass') return data;
  const scope: Scope = { data, context: world.context };
  const result =
    state.Type === 'Map' ? await runMap(state, scope, world) : await runTask(state, scope, world);
  const selected =
    state.ResultSelector === undefined
      ? result
      : fillTemplate(state.ResultSelector, { ...scope, data: result });
  return putResult(data, selected, state.ResultPath);
}

function runTask(state: State, scope: Scope, world: StateMachineWorld): Promise<unknown> {
  const parameters = state.Parameters === undefined ? scope.data : fillTemplate(state.Parameters, scope);
  return world.runTask(state, parameters);
}

/** Runs all items at the same time; the first failure fails the state. */
function runMap(
  { ItemsPath = '$', ItemSelector, ItemProcessor }: State,
  scope: Scope,
  world: StateMachineWorld,
): Promise<unknown[]> {
  const items = readPath(ItemsPath, scope);
  if (!Array.isArray(items)) throw new Error(`There is no list at ${ItemsPath}.`);
  const runs = items.map((Value: unknown, Index) => {
    const context = Object.create(scope.context, { Map: { value: { Item: { Value, Index } } } });
    const input = ItemSelector === undefined ? Value : fillTemplate(ItemSelector, { ...scope, context });
    return run(ItemProcessor as StateMachineDefinition, input, { ...world, context });
  });
  return Promise.all(runs);
}

function choose({ Choices = [], Default }: State, scope: Scope): string {
  const next = Choices.find((rule) => holds(rule, scope))?.Next ?? Default;
  if (next === undefined) throw named('States.NoChoiceMatched', 'No rule matches, and there is no default.');
  return next;
}

function holds(rule: Rule, scope: Scope): boolean {
  if (rule.And !== undefined) return rule.And.every((it) => holds(it, scope));
  if (rule.Or !== undefined) return rule.Or.some((it) => holds(it, scope));
  if (rule.Not !== undefined) return !holds(rule.Not, scope);
  const value = readPath(rule.Variable ?? '', scope);
  if (rule.IsPresent !== undefined) return (value !== undefined) === rule.IsPresent;
  if (value === undefined) throw named('States.Runtime', `There is nothing at ${rule.Variable}.`);
  return value === rule.StringEquals;
}

/** `States.TaskFailed` matches everything but a passed time limit. */
function matches(names: readonly string[], { name }: Error): boolean {
  return names.some(
    (it) => it === name || it === 'States.ALL' || (it === 'States.TaskFailed' && name !== 'States.Timeout'),
  );
}

/** An error as `Retry` and `Catch` match it: by its name. */
export function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
