import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { STAGES, type Stage } from '../../infra/stages.ts';
import { PARTS } from '../../local/place/find-deployment.ts';
import { resolve } from './resolve-intrinsics.ts';
import { newUnbundledApp } from './synthesize.ts';
import { resourcesOf, templateOf } from './template.ts';

const { production, trial } = STAGES;

function deployed(stage: Stage) {
  const template = templateOf(new ReturnsFeedStack(newUnbundledApp(), stage));
  return { template, outputs: template.Outputs ?? {} };
}

const { outputs } = deployed({ ...production, addSources: true, pull: true });

test('the stack has every output that commands use', () => {
  const used = Object.values(PARTS).map(({ output }) => output);

  expect(Object.keys(outputs)).toEqual(expect.arrayContaining(used));
});

/** In commands, `<Word>` is an output; placeholders in lower case are other values. */
test.each(['docs/runbook.md', 'docs/deploying.md', 'SECURITY.md'])(
  '%s names only existing outputs of the stack',
  (page) => {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');

    const named = [...text.matchAll(/<([A-Z]\w+)>/g)].map(([, name = '']) => name);

    expect(named.filter((name) => !(name in outputs))).toEqual([]);
  },
);

test('a stage without a dashboard or a pull feed has no output for it', () => {
  expect(deployed(trial).outputs).not.toHaveProperty('Dashboard');
  expect(deployed(trial).outputs).not.toHaveProperty('PullUrl');
});

const STREAM = 'arn:aws:dynamodb:eu-west-1:111122223333:table/Old-Ledger/stream/2026-11-20T10:00:00.000';
const KEPT = { snapshots: 'Old-Snapshots', ledger: STREAM, marks: 'Old-Marks', sources: 'Old-Sources' };

test('a stack continues with the tables that another one left, and names them for the next', () => {
  const { template, outputs } = deployed({ ...production, tables: KEPT });

  const text = JSON.stringify(template.Resources);
  const streams = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
    ([, { Properties }]) => Properties.EventSourceArn,
  );
  expect(resourcesOf(template, 'AWS::DynamoDB::Table')).toEqual([]);
  for (const name of ['Old-Snapshots', 'Old-Ledger', 'Old-Marks', 'Old-Sources'])
    expect(text).toContain(name);
  expect(streams.filter((it) => it === STREAM)).toHaveLength(2);
  expect(JSON.parse(String(outputs.Tables?.Value))).toEqual(KEPT);
});

test('a stack to which commands add sources continues with the key of their tokens', () => {
  const tokenKey = 'arn:aws:kms:eu-west-1:111122223333:key/5d0e8a5c-1f0b-4c66-9d0c-0b6a3a1f4a11';
  const tables = { ...KEPT, tokenKey };

  const { template, outputs } = deployed({ ...production, addSources: true, tables });

  expect(resourcesOf(template, 'AWS::KMS::Key')).toEqual([]);
  expect(outputs.TokenKey?.Value).toBe(tokenKey);
  expect(JSON.parse(String(outputs.Tables?.Value))).toEqual(tables);
});

test('the output Tables of new tables names each, and the stream of the ledger', () => {
  const names = { ref: (id: string) => id, attribute: (id: string, name: string) => `${id}.${name}` };

  expect(JSON.parse(resolve(outputs.Tables?.Value, names))).toEqual({
    snapshots: expect.stringMatching(/^FeedStorageSnapshots\w+$/),
    ledger: expect.stringMatching(/^FeedStorageLedger\w+\.StreamArn$/),
    marks: expect.stringMatching(/^FeedStorageMarks\w+$/),
    sources: expect.stringMatching(/^FeedStorageSources\w+$/),
    tokenKey: expect.stringMatching(/^FeedTokenKey\w+\.Arn$/),
  });
});

test('a ledger that is not named by its stream is refused, with what to give', () => {
  const tables = { ...KEPT, ledger: 'Old-Ledger' };

  expect(() => deployed({ ...production, tables })).toThrow(
    /tables\.ledger must be the ARN of the ledger's stream, which ends with \/stream\/ and a time: Old-Ledger/,
  );
});
