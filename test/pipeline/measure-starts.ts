import { type Figure, type Measured, quantile, until, withService, withWatch } from './measurement.ts';

const STARTS = 7;

/** From the start of the process to the service's answer to its first request. */
export async function figuresOfStarts(measured: Measured): Promise<readonly Figure[]> {
  const times = await withService({ groups: 100 }, measured, async (service) => {
    const found: number[] = [];
    // The first start makes the bundle.
    for (let start = 0; start <= STARTS; start += 1) {
      const before = service.requests.length;
      const startedAt = Date.now();
      const at = await withWatch(service, {}, async (watch) => {
        await until(() => service.requests.length > before, watch, measured.signal);
        return service.requests[before]?.at ?? Number.NaN;
      });
      if (start > 0) found.push(at - startedAt);
    }
    return found;
  });
  const seconds = (share: number) => `${(quantile(times, share) / 1_000).toFixed(2)} s`;
  return [
    {
      what: `first request after the start, median and slowest of ${STARTS}`,
      value: `${seconds(0.5)}, ${seconds(1)}`,
    },
  ];
}
