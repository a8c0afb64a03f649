// What `cdk synth` makes, run on the engines of this machine. That the run would find what is broken is shown on
// copies of the template in which one thing is.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDynamoDbEngine } from '../../local/engines/dynamodb-engine.ts';
import { startSqsEngine } from '../../local/engines/sqs-engine.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import type { EngineAddresses } from './deployment.ts';
import { synthesizeStack, TOKEN_SECRET } from './synthesize-stack.ts';
import { type Assembly, changed, type Template } from './template.ts';
import { watchAChange } from './watch-a-change.ts';

let service: ReferenceService;
let assembly: Assembly;
let engines: EngineAddresses;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  const outdir = mkdtempSync(join(tmpdir(), 'returns-feed-synth-'));
  ends.push(() => rmSync(outdir, { recursive: true }));
  service = await createReferenceService({ groups: 60, life: false });
  ends.push(service.close);
  assembly = synthesizeStack(outdir, service.url);
  const [dynamoDb, sqs] = await Promise.all([startDynamoDbEngine(), startSqsEngine()]);
  ends.push(dynamoDb.stop, sqs.stop);
  engines = { dynamoDb: dynamoDb.endpoint, sqs: sqs.endpoint };
}, 120_000);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function watch(template: Template): Promise<string[]> {
  return watchAChange(service, {
    ...{ assembly, template, engines },
    secrets: new Map([[TOKEN_SECRET, service.token]]),
  });
}

test('a change at the service comes out of the FIFO queue and of the bus, by what the roles allow', async () => {
  const problems = await watch(assembly.template);

  expect(problems).toEqual([]);
});
