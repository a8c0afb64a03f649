// The parts of the Amazon States Language that the interpreter supports. It rejects all others, because a workflow with
// an ignored field would behave differently in AWS.
import { isKnownExpression } from './state-data.ts';
import type { Rule, State, StateMachineDefinition } from './states-definition.ts';

const OF_ALL = ['Comment', 'End', 'Next', 'Type'];
const OF_WORK = [...OF_ALL, 'Catch', 'ResultPath', 'ResultSelector', 'Retry'];
const FIELDS: Readonly<Record<State['Type'], readonly string[]>> = {
  Choice: ['Choices', 'Comment', 'Default', 'Type'],
  Map: [...OF_WORK, 'ItemProcessor', 'ItemSelector', 'ItemsPath'],
  Pass: OF_ALL,
  Task: [...OF_WORK, 'Parameters', 'Resource', 'TimeoutSeconds'],
};
/** Pauses are skipped, so their fields are accepted. */
const OF_RETRIER = [
  'BackoffRate',
  'ErrorEquals',
  'IntervalSeconds',
  'JitterStrategy',
  'MaxAttempts',
  'MaxDelaySeconds',
];
const OF_CATCHER = ['ErrorEquals', 'Next', 'ResultPath'];
const OF_RULE = ['And', 'Comment', 'IsPresent', 'Next', 'Not', 'Or', 'StringEquals', 'Variable'];
const OF_MACHINE = ['Comment', 'ProcessorConfig', 'StartAt', 'States'];

/** @throws Error that names the first unsupported part */
export function checkKnown(definition: StateMachineDefinition): void {
  checkFields('the state machine', definition, OF_MACHINE);
  const { StartAt, States } = definition;
  if (States[StartAt] === undefined) throw new Error(`There is no state ${StartAt}.`);
  for (const [name, state] of Object.entries(States)) checkState(name, state, States);
}

function checkState(name: string, state: State, states: StateMachineDefinition['States']): void {
  const { Type, Retry = [], Catch = [], Choices = [], ItemsPath, ResultPath, ItemProcessor } = state;
  if (FIELDS[Type] === undefined) refuse(`the type ${Type}`, name);
  checkFields(name, state, FIELDS[Type]);
  for (const retrier of Retry) checkFields(name, retrier, OF_RETRIER);
  for (const catcher of Catch) checkFields(name, catcher, OF_CATCHER);
  for (const rule of Choices) checkRule(name, rule);
  for (const path of [ResultPath, ...Catch.map((it) => it.ResultPath)])
    if (path != null && !/^\$(\.\w+)?$/.test(path)) refuse(path, name);
  if (ItemsPath !== undefined) checkExpression(name, ItemsPath);
  for (const template of [state.Parameters, state.ResultSelector, state.ItemSelector])
    checkTemplate(name, template);
  if (Type === 'Map') checkKnown(ItemProcessor as StateMachineDefinition);
  for (const next of [
    state.Next,
    state.Default,
    ...Choices.map((it) => it.Next),
    ...Catch.map((it) => it.Next),
  ])
    if (next !== undefined && states[next] === undefined)
      throw new Error(`${name} leads to ${next}, which is no state.`);
}

function checkRule(name: string, rule: Rule): void {
  checkFields(name, rule, OF_RULE);
  for (const inner of [...(rule.And ?? []), ...(rule.Or ?? []), ...(rule.Not ? [rule.Not] : [])])
    checkRule(name, inner);
  if (rule.Variable !== undefined) checkExpression(name, rule.Variable);
}

function checkTemplate(name: string, template: unknown): void {
  if (typeof template !== 'object' || template === null) return;
  for (const [field, value] of Object.entries(template)) {
    if (field.endsWith('.$')) checkExpression(name, value);
    else checkTemplate(name, value);
  }
}

function checkExpression(name: string, expression: string): void {
  if (!isKnownExpression(expression)) refuse(expression, name);
}

function checkFields(name: string, part: object, known: readonly string[]): void {
  const unknown = Object.keys(part).find((field) => !known.includes(field));
  if (unknown !== undefined) refuse(unknown, name);
}

function refuse(what: string, name: string): never {
  throw new Error(`The interpreter does not support ${what} of ${name}.`);
}
