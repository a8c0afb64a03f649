import { Metrics } from '@aws-lambda-powertools/metrics';
import { expect, test, vi } from 'vitest';
import {
  reportDispatch,
  reportFreshness,
  reportPolled,
} from '../../../functions/adapters/powertools-metrics.ts';

/** The lines of the embedded metric format. */
function written(report: (metrics: Metrics) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  try {
    report(new Metrics({ namespace: 'ReturnsChangeFeed', serviceName: 'feed' }));
  } finally {
    spy.mockRestore();
  }
  return lines.map((line) => JSON.parse(line));
}

const dimensionsOf = (line: unknown) => JSON.stringify(line).match(/"Dimensions":(\[\[.*?\]\])/)?.[1];

test('a minute is reported for the feed, without a dimension for each source', () => {
  const figures = { sources: 1_000, due: 17, behind: 2, failing: 3, held: 4, setAside: 5 };

  const [line] = written((metrics) => reportDispatch(metrics, figures, 1));

  expect(line).toMatchObject({
    ...{ service: 'feed', Sources: 1_000, SourcesDue: 17, SourcesBehind: 2, SourcesFailing: 3 },
    ...{ Holds: 4, SetAsideGroups: 5, InvalidEntries: 1 },
  });
  expect(dimensionsOf(line)).toBe('[["service"]]');
});

test('the sources that a message polled are reported in one line, with how late it was', () => {
  const lines = written((metrics) => reportPolled(metrics, 20, 1_500));

  expect(lines).toMatchObject([{ service: 'feed', SourcesPolled: 20, SecondsLate: 1.5 }]);
});

test('the freshness of a source has its own dimension, and leaves it to no later line', () => {
  const [own, next] = written((metrics) => {
    reportFreshness(metrics, 'acme', 61_000);
    reportPolled(metrics, 1, 0);
  });

  expect(own).toMatchObject({ service: 'feed', source: 'acme', SecondsBehind: 61 });
  expect([dimensionsOf(own), dimensionsOf(next)]).toEqual(['[["service","source"]]', '[["service"]]']);
});
