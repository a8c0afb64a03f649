import { expect, test } from 'vitest';
import { parseRelayEnvironment } from '../../../functions/relay/relay-environment.ts';

const tables = { LEDGER_TABLE: 'ledger', MARKS_TABLE: 'marks' };

test('a relay sends to the queue or to the bus', () => {
  const queue = {
    DESTINATION: 'queue',
    QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/events.fifo',
    ...tables,
  };
  const bus = { DESTINATION: 'bus', EVENT_BUS_NAME: 'feed', ...tables };

  expect(parseRelayEnvironment({ ...queue, PATH: '/bin' })).toEqual(queue);
  expect(parseRelayEnvironment(bus)).toEqual(bus);
});

test('all missing variables are named at once', () => {
  expect(() => parseRelayEnvironment({ DESTINATION: 'queue', MARKS_TABLE: '' })).toThrow(
    /QUEUE_URL: .*LEDGER_TABLE: .*MARKS_TABLE: /,
  );
  expect(() => parseRelayEnvironment({})).toThrow(/DESTINATION: .*'queue' \| 'bus'/);
});
