import { Names, Stack } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/**
 * The scope for resources that refer to a function and that the function refers to: two stacks can't refer to each
 * other, so they must be in the function's stack.
 *
 * @returns the construct itself in its own stack; in another stack a construct that is created once
 */
export function placeBeside(construct: Construct, fn: lambda.IFunction): Construct {
  const stack = Stack.of(fn);
  if (stack === Stack.of(construct)) return construct;
  const id = Names.nodeUniqueId(construct.node);
  return (stack.node.tryFindChild(id) as Construct | undefined) ?? new Construct(stack, id);
}
