import { setTimeout as sleep } from 'node:timers/promises';
import type { OutsideService } from '../acceptance/outside-service.ts';
import { readEvent } from '../acceptance/printed-event.ts';
import type { WatchProcess } from '../acceptance/watch-process.ts';
import { stateOf } from '../readers/known-states.ts';
import {
  type Figure,
  hasReadAll,
  type Measured,
  quantile,
  until,
  withService,
  withWatch,
} from './measurement.ts';

const BUSY_MS = 60_000;
/** The last change is read and printed within this time. */
const QUIET_MS = 5_000;
const RATES = [3, 20];

/** From the answer that first shows a change to its printed event. */
export async function figuresOfChanges(measured: Measured): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const changesPerSecond of RATES) {
    const delays = await withService({ groups: 300, changesPerSecond }, measured, (service) =>
      withWatch(service, { every: '1s' }, async (watch) => {
        await until(() => hasReadAll(watch), watch, measured.signal);
        service.startChanging();
        await sleep(BUSY_MS, undefined, { signal: measured.signal });
        service.stopChanging();
        await sleep(QUIET_MS, undefined, { signal: measured.signal });
        return delaysOf(service, watch);
      }),
    );
    const [p50, p99] = [0.5, 0.99].map((share) => `${quantile(delays, share).toFixed(0)} ms`);
    figures.push({
      what: `from an answer to the printed event, ${changesPerSecond} changes a second, p50 and p99 of ${delays.length}`,
      value: `${p50}, ${p99}`,
    });
  }
  return figures;
}

/** In milliseconds, one for each printed state; a state that the next change hid before a request came has none. */
function delaysOf({ store, requests }: OutsideService, { printed }: WatchProcess): readonly number[] {
  const printedAt = new Map<string, number>();
  for (const { line, arrivedAt } of printed) {
    const event = readEvent(line);
    if (typeof event === 'string') throw new Error(`watch printed a line that is no event: ${event}`);
    if (event.verb === 'removed') continue;
    const name = `${event.subject} ${stateOf(event.kind, event.object)}`;
    printedAt.set(name, printedAt.get(name) ?? arrivedAt);
  }
  return store.histories().flatMap(({ subject, kind, groupId, states }) =>
    states.flatMap(({ shownFrom, changedAt, fields }, index) => {
      if (changedAt === 0 || fields === undefined) return [];
      const arrivedAt = printedAt.get(`${subject} ${stateOf(kind, fields)}`);
      const shown = requests.find(
        ({ at, tookMs, shown }) => at - tookMs >= shownFrom && shown.includes(groupId),
      );
      const hiddenFrom = states[index + 1]?.shownFrom ?? Number.POSITIVE_INFINITY;
      const isSeen = shown !== undefined && shown.at < hiddenFrom;
      return arrivedAt === undefined || !isSeen || arrivedAt < shown.at ? [] : [arrivedAt - shown.at];
    }),
  );
}
