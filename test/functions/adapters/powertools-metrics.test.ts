import { Metrics } from '@aws-lambda-powertools/metrics';
import { expect, test, vi } from 'vitest';
import { addTickMetrics } from '../../../functions/adapters/powertools-metrics.ts';
import type { TickReport } from '../../../shared/reporting/tick-report.ts';
import { createSourceWorld } from '../../shared/source-world.ts';

/** The lines of the embedded metric format for a report. */
function written(report: TickReport): Record<string, unknown>[] {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  try {
    addTickMetrics(new Metrics({ namespace: 'ReturnsChangeFeed', serviceName: 'feed' }), report);
  } finally {
    spy.mockRestore();
  }
  return lines.map((line) => JSON.parse(line));
}

test('freshness is reported per source, the other metrics for the feed', async () => {
  const world = createSourceWorld();
  const report = await world.tick(world.startProcess('a'));

  const lines = written(report);

  expect(lines).toMatchObject([
    { service: 'feed', source: 'acme', SecondsBehind: 0 },
    { service: 'feed', SetAsideGroups: 0, Holds: 0 },
  ]);
  const dimensions = lines.map((line) => JSON.stringify(line).match(/"Dimensions":(\[\[.*?\]\])/)?.[1]);
  expect(dimensions).toEqual(['[["service","source"]]', '[["service"]]']);
});

test('the freshness of a source that is not read completely gets worse', async () => {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.tick(session);
  world.control.setKnob('faultKinds', ['500-html']);
  world.control.setKnob('faultRate', 1);
  await world.nextTick(session);

  const [line] = written(await world.nextTick(session));

  expect(line?.SecondsBehind).toBeGreaterThanOrEqual(120);
});

test('a dropped tick reports nothing', async () => {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.tick(session, { slot: 1 });
  const late = await world.tick(session, { slot: 1 });

  const lines = written(late);

  expect(late.outcome).toBe('late');
  expect(lines).toEqual([]);
});
