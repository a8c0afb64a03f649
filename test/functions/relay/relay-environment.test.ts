import { expect, test } from 'vitest';
import { parseRelayEnvironment } from '../../../functions/relay/relay-environment.ts';

const tables = {
  LEDGER_TABLE: 'ledger',
  MARKS_TABLE: 'marks',
  SNAPSHOTS_TABLE: 'snapshots',
  SOURCES_TABLE: 'sources',
};

test('a relay is for the ordered topic, the bus or the pull feed', () => {
  const ordered = {
    DESTINATION: 'ordered',
    TOPIC_ARN: 'arn:aws:sns:eu-west-1:111122223333:events.fifo',
    ...tables,
  };
  const bus = { DESTINATION: 'bus', EVENT_BUS_NAME: 'feed', ...tables };

  expect(parseRelayEnvironment({ ...ordered, PATH: '/bin' })).toEqual(ordered);
  expect(parseRelayEnvironment(bus)).toEqual(bus);
  expect(parseRelayEnvironment({ DESTINATION: 'pull', ...tables })).toEqual({
    DESTINATION: 'pull',
    ...tables,
  });
});

test('all missing variables are named at once', () => {
  expect(() => parseRelayEnvironment({ DESTINATION: 'ordered', MARKS_TABLE: '' })).toThrow(
    /TOPIC_ARN: .*LEDGER_TABLE: .*MARKS_TABLE: /,
  );
  expect(() => parseRelayEnvironment({})).toThrow(/DESTINATION: .*'ordered' \| 'bus' \| 'pull'/);
});
