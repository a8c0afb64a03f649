import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { stageNamed } from '../../infra/stages.ts';
import { PARTS } from '../../local/operating/find-deployment.ts';
import { newUnbundledApp } from './synthesize.ts';

test('the stack has every output that commands use', () => {
  const stack = new ReturnsFeedStack(newUnbundledApp(), stageNamed('production'));

  const outputs = Object.keys(Template.fromStack(stack).toJSON().Outputs);

  expect(outputs).toEqual(expect.arrayContaining(Object.values(PARTS).map(({ output }) => output)));
});

/** In commands, `<Word>` is an output; placeholders in lower case are other values. */
test.each(['docs/runbook.md', 'docs/deploying.md', 'SECURITY.md'])(
  '%s names only existing outputs of the stack',
  (page) => {
    const stack = new ReturnsFeedStack(newUnbundledApp(), stageNamed('production'));
    const outputs = Object.keys(Template.fromStack(stack).toJSON().Outputs);
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');

    const named = [...text.matchAll(/<([A-Z]\w+)>/g)].map(([, name]) => name);

    expect(named.filter((name) => !outputs.includes(name ?? ''))).toEqual([]);
  },
);

test('a stage without a dashboard has no output for it', () => {
  const stack = new ReturnsFeedStack(newUnbundledApp(), stageNamed('trial'));

  expect(Template.fromStack(stack).toJSON().Outputs).not.toHaveProperty('Dashboard');
});
