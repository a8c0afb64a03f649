import { describe, expect, it } from 'vitest';
import { MILLISECOND, SECOND } from '../../shared/instant.ts';
import { createVirtualClock, type VirtualClock } from '../fakes/virtual-clock.ts';
import { createMortalProcess } from './mortal-process.ts';
import { createTrace } from './trace.ts';

type Call = 'request' | 'save';

const REQUEST_MS = 2_000;

describe('a request that fails while its process is frozen', () => {
  it('fails for the process only once it is thawed', async () => {
    const time = createVirtualClock();
    const process = aProcess(time, 60_000);

    const failed = failingRequest(process, time).catch(() => time.elapsed());
    void process.call('save', () => {});

    expect(await time.run(failed)).toBe(60 * SECOND);
  });

  it('does not fail for a process that ended meanwhile', async () => {
    const time = createVirtualClock();
    const process = aProcess(time, 0);
    let goesOn = false;

    void failingRequest(process, time).catch(() => {
      goesOn = true;
    });
    process.kill('its time is over');
    await time.advance(2 * REQUEST_MS * MILLISECOND);

    expect(goesOn).toBe(false);
  });
});

/** A process that its first save freezes until the given time. */
function aProcess(time: VirtualClock, frozenUntilMs: number) {
  let isFrozen = false;
  return createMortalProcess<Call, 'freeze'>({
    ...{ name: 'a process', time, machine: time.machine(), trace: createTrace(time.now, false) },
    next: (call) => ({
      fated: { fate: call === 'save' ? 'freeze' : undefined, id: `${call}#1`, chance: 0 },
      before: 0,
    }),
    suffer() {
      isFrozen = true;
    },
    thaw: () => (isFrozen ? time.sleep(frozenUntilMs - time.elapsed() / MILLISECOND) : undefined),
  });
}

function failingRequest(process: ReturnType<typeof aProcess>, time: VirtualClock): Promise<void> {
  return process.call('request', async () => {
    await time.sleep(REQUEST_MS);
    throw new Error('no answer in 2000 ms');
  });
}
