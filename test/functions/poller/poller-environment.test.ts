import { describe, expect, it } from 'vitest';
import { parsePollerEnvironment } from '../../../functions/poller/poller-environment.ts';

const COMPLETE = {
  SNAPSHOTS_TABLE: 'snapshots',
  LEDGER_TABLE: 'ledger',
  SOURCES_TABLE: 'sources',
  FEED_NAME: 'feed',
  DECLARED_TOKENS: '[{"token":{"secretId":"a"},"baseUrl":"https://returns.example/api"}]',
  POLL_QUEUE_URL: 'https://sqs.example.test/1/polls',
  STACK_NAME: 'ReturnsFeed',
};

describe("the poller's environment", () => {
  it('is accepted if it is complete', () => {
    const parsed = parsePollerEnvironment({ ...COMPLETE, HOME: '/' });

    expect(parsed).toEqual({
      ...COMPLETE,
      DECLARED_TOKENS: [{ token: { secretId: 'a' }, baseUrl: 'https://returns.example/api' }],
    });
  });

  it('is rejected with all problems at once', () => {
    const parsing = () => parsePollerEnvironment({ ...COMPLETE, LEDGER_TABLE: '', DECLARED_TOKENS: '{' });

    expect(parsing).toThrow(/LEDGER_TABLE.*DECLARED_TOKENS/);
  });
});
