import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepEvidence } from './keep-evidence.ts';
import { startOutsideReceiver } from './outside-receiver.ts';
import { startOutsideService } from './outside-service.ts';
import { createRandom } from './random.ts';
import { runHeld } from './run-held.ts';
import { runOpen } from './run-open.ts';
import type { Scenario } from './scenario.ts';
import type { Outcome } from './scenario-run.ts';
import type { WatchProcess } from './watch-process.ts';

export async function runScenario(
  scenario: Scenario,
  seed: number,
  keep: string | undefined,
): Promise<Outcome> {
  const random = createRandom(seed);
  const service = await startOutsideService(scenario.draw(random), random);
  const data = await mkdtemp(join(tmpdir(), 'acceptance-'));
  const receiver = scenario.isForwarded ? await startOutsideReceiver(random) : undefined;
  const run = { scenario, service, receiver, data, startedAt: Date.now(), runs: [] as WatchProcess[] };
  try {
    return await (scenario.expects === 'held' ? runHeld(run, seed) : runOpen(run)).then(async (outcome) => {
      if (keep) await keepEvidence(join(keep, scenario.name), run, outcome);
      return outcome;
    });
  } finally {
    await Promise.all(run.runs.map((watch) => watch.end('SIGKILL')));
    await service.close();
    await receiver?.close();
    await rm(data, { recursive: true, force: true });
  }
}
