import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { stageNamed } from '../../infra/stages.ts';
import { STACK_OUTPUTS } from '../../local/operating/find-deployment.ts';
import { newUnbundledApp } from './synthesize.ts';

test('the stack names all that commands look for in it', () => {
  const stack = new ReturnsFeedStack(newUnbundledApp(), stageNamed('production'));

  const outputs = Object.keys(Template.fromStack(stack).toJSON().Outputs);

  expect(outputs).toEqual(expect.arrayContaining([...STACK_OUTPUTS]));
});
