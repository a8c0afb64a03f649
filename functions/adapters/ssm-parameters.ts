// Parameters of Parameter Store that hold JSON.
import { paginateGetParametersByPath, type SSMClient } from '@aws-sdk/client-ssm';
import type * as z from 'zod';
import { problemsOf } from './parse-environment.ts';

/** The parsed values of all parameters below a path, in any order. @throws what `parse` throws */
export async function listParameters<Value>(
  client: SSMClient,
  path: string,
  parse: (name: string, text: string) => Value,
): Promise<Value[]> {
  const values: Value[] = [];
  for await (const { Parameters = [] } of paginateGetParametersByPath({ client }, { Path: path }))
    for (const { Name = '', Value = '' } of Parameters) values.push(parse(Name, Value));
  return values;
}

/**
 * The value of a parameter.
 *
 * @param what the value describes, for instance `a source`
 * @throws Error that names the parameter and every invalid field
 */
export function parseParameter<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
  name: string,
  text: string,
): z.output<Schema> {
  const parsed = schema.safeParse(parseText(name, text));
  if (parsed.success) return parsed.data;
  throw new Error(`The parameter ${name} does not describe ${what}. ${problemsOf(parsed.error)}.`);
}

function parseText(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The parameter ${name} does not hold JSON.`);
  }
}
