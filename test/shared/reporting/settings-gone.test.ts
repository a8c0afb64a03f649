// G8: a source that is degraded because one row can't be read, and whose settings are then deleted, is not read at all
// any more; no event ever says so, for the source counts as told. (`judgeHealth` tells each new kind of reason.)
import { expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { reportUnconfigured } from '../../../shared/reporting/report-unconfigured.ts';
import { conditions } from '../guarding/two-stores.ts';
import { createSourceWorld, SOURCE } from '../source-world.ts';

it('tells that settings are gone of a source that was degraded for another reason', async () => {
  const world = createSourceWorld({ knobs: { unreadableEvery: 7, unreadableAs: 'no-status' } });
  const session = world.startProcess('a');
  for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);

  for (let minute = 0; minute < 60; minute += 1) {
    await world.time.advance(MINUTE);
    await reportUnconfigured({ source: SOURCE, slot: world.slot() }, world);
  }

  const told = await conditions(world);
  expect(told[0]).toBe('feed.source_degraded unreadable');
  expect(told.at(-1)).toContain('misconfigured');
});
