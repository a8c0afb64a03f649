// A source with an interval below a minute is removed while its delayed ticks are in the queue.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { comeDue, TICKS, thisMinute } from './come-due.ts';
import { deploy, type EngineAddresses } from './deployment.ts';
import { startEngines } from './start-engines.ts';
import { synthesizeStack } from './synthesize-stack.ts';
import { type Assembly, changed, idOf } from './template.ts';

const PATIENCE_MS = 120_000;

let assembly: Assembly;
let engines: EngineAddresses;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  assembly = synthesizeStack('http://127.0.0.1:9', () => {});
  engines = await startEngines(ends);
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

test(
  'a tick of a removed source logs a warning, and does not become a dead letter',
  async () => {
    const template = changed(assembly.template, ({ Resources }) => {
      const schedule = Resources[idOf(assembly.template, 'AWS::Scheduler::Schedule', 'Scheduleacme')]!;
      schedule.Properties.Target.Input = '{"source":"gone","slot":"<aws.scheduler.scheduled-time>"}';
    });
    const deployment = await deploy({ assembly, template, engines, secrets: new Map() });
    try {
      await comeDue(deployment, TICKS, thisMinute());

      const warnings = deployment.functionWith('Poller').lines.filter((line) => line.includes('"WARN"'));
      expect(deployment.failures).toEqual([]);
      expect(deployment.functionWith('Poller').events).toHaveLength(1);
      expect(warnings).toEqual([expect.stringContaining('there is no such source')]);
      expect(warnings[0]).toContain('"source":"gone"');
    } finally {
      await deployment.stop();
    }
  },
  PATIENCE_MS,
);
