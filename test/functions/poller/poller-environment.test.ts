import { describe, expect, it } from 'vitest';
import { parsePollerEnvironment } from '../../../functions/poller/poller-environment.ts';

const COMPLETE = {
  SNAPSHOTS_TABLE: 'snapshots',
  LEDGER_TABLE: 'ledger',
  SOURCES_TABLE: 'sources',
  SOURCES_PATH: '/feed/sources',
  POLL_QUEUE_URL: 'https://sqs.example.test/1/polls',
  STACK_NAME: 'ReturnsFeed',
};

describe("the poller's environment", () => {
  it('is accepted if it is complete', () => {
    expect(parsePollerEnvironment({ ...COMPLETE, HOME: '/' })).toEqual(COMPLETE);
  });

  it('is rejected with all problems at once', () => {
    const parsing = () => parsePollerEnvironment({ ...COMPLETE, LEDGER_TABLE: '', SOURCES_PATH: 'feed/' });

    expect(parsing).toThrow(/LEDGER_TABLE.*SOURCES_PATH/);
  });
});
