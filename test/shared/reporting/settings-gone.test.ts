// G8: a source is degraded because of one unreadable row; then its settings are deleted, and it is no longer read. The
// feed must report that too, although it reported the source before (`judgeHealth` reports each new kind of reason).
import { expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { reportUnconfigured } from '../../../shared/reporting/report-unconfigured.ts';
import { conditions } from '../guarding/two-stores.ts';
import { createSourceWorld, SOURCE } from '../source-world.ts';

it('reports missing settings of a source that was degraded for another reason', async () => {
  const world = createSourceWorld({ knobs: { unreadableEvery: 7, unreadableAs: 'no-status' } });
  const session = world.startProcess('a');
  for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);

  for (let minute = 0; minute < 60; minute += 1) {
    await world.time.advance(MINUTE);
    await reportUnconfigured({ source: SOURCE, slot: world.slot() }, world);
  }

  const reports = await conditions(world);
  expect(reports[0]).toBe('feed.source_degraded unreadable');
  expect(reports.at(-1)).toContain('misconfigured');
});
