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

const STREAM = 'arn:aws:dynamodb:eu-west-1:111122223333:table/Old-Ledger/stream/2026-11-20T10:00:00.000';
const KEPT = { snapshots: 'Old-Snapshots', ledger: STREAM, marks: 'Old-Marks', sources: 'Old-Sources' };

test('a stack continues with the tables that another one left, and names them for the next', () => {
  const stack = new ReturnsFeedStack(newUnbundledApp(), { ...stageNamed('production'), tables: KEPT });

  const template = Template.fromStack(stack);
  const { Resources, Outputs } = template.toJSON();
  const text = JSON.stringify(Resources);
  template.resourceCountIs('AWS::DynamoDB::Table', 0);
  for (const name of ['Old-Snapshots', 'Old-Ledger', 'Old-Marks', 'Old-Sources'])
    expect(text).toContain(name);
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', { EventSourceArn: STREAM });
  expect(JSON.parse(Outputs.Tables.Value)).toEqual(KEPT);
});

test('the output Tables of new tables names each, and the stream of the ledger', () => {
  const stack = new ReturnsFeedStack(newUnbundledApp(), stageNamed('production'));

  const { Value } = Template.fromStack(stack).toJSON().Outputs.Tables;

  const [, parts] = Value['Fn::Join'];
  const text = parts
    .map((it: string | { Ref?: string; 'Fn::GetAtt'?: string[] }) =>
      typeof it === 'string' ? it : (it.Ref ?? it['Fn::GetAtt']?.join('.')),
    )
    .join('');
  expect(JSON.parse(text)).toEqual({
    snapshots: expect.stringMatching(/^FeedStorageSnapshots\w+$/),
    ledger: expect.stringMatching(/^FeedStorageLedger\w+\.StreamArn$/),
    marks: expect.stringMatching(/^FeedStorageMarks\w+$/),
    sources: expect.stringMatching(/^FeedStorageSources\w+$/),
  });
});

test('a ledger that is not named by its stream is refused, with what to give', () => {
  const tables = { ...KEPT, ledger: 'Old-Ledger' };

  expect(() => new ReturnsFeedStack(newUnbundledApp(), { ...stageNamed('production'), tables })).toThrow(
    /tables\.ledger must be the ARN of the ledger's stream, which ends with \/stream\/ and a time: Old-Ledger/,
  );
});
