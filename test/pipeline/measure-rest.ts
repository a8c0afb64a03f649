import { setTimeout as sleep } from 'node:timers/promises';
import { usageOf } from '../readers/process-usage.ts';
import { type Figure, hasReadAll, type Measured, until, withService, withWatch } from './measurement.ts';

/** After the first reading, until its last work is done. */
const SETTLING_MS = 15_000;

/** Processor time and memory of `watch` at its defaults while nothing changes. */
export async function figuresAtRest(
  measured: Measured & { readonly minutes: number },
): Promise<readonly Figure[]> {
  const { minutes, signal } = measured;
  return withService({ groups: 300 }, measured, (service) =>
    withWatch(service, {}, async (watch) => {
      await until(() => hasReadAll(watch), watch, signal);
      await sleep(SETTLING_MS, undefined, { signal });
      const { pid } = watch;
      if (pid === undefined) throw new Error('watch did not start.');
      const before = usageOf(pid).cpuSeconds;
      await sleep(minutes * 60_000, undefined, { signal });
      const { cpuSeconds, residentMb } = usageOf(pid);
      return [
        {
          what: `processor time at rest, all processes of \`watch\`, over ${minutes} min`,
          value: `${((cpuSeconds - before) / minutes).toFixed(2)} s a minute`,
        },
        { what: 'memory at rest', value: `${residentMb.toFixed(0)} MB` },
      ];
    }),
  );
}
