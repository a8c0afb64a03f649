import { Duration, type Stack } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { expect, test } from 'vitest';
import { checkProps, MOST_SOURCES } from '../../infra/check-props.ts';
import type { ReturnsChangeFeedProps } from '../../infra/returns-change-feed.ts';
import type { SourceProps } from '../../infra/source-props.ts';
import { aFeed, aSource, newStack, tokenByPrefix } from './synthesize.ts';

/** Returns the error message for invalid props. */
function refusal(props: Partial<ReturnsChangeFeedProps>, stack = newStack()): string {
  try {
    aFeed(props, stack);
  } catch (error) {
    return String((error as Error).message);
  }
  throw new Error('The props were accepted.');
}

function refusalOfSource(props: Partial<SourceProps>): string {
  const stack = newStack();
  return refusal({ sources: [aSource(stack, props)] }, stack);
}

test.each<[string, Partial<SourceProps>, string]>([
  ['a name with capitals', { name: 'Acme' }, '1 to 30 of the characters a-z, 0-9 and -, for instance "acme"'],
  [
    'an address without TLS',
    { baseUrl: 'http://returns.example.com/api' },
    'https://returns.example.com/api',
  ],
  [
    'an address with a password',
    { baseUrl: 'https://me:word@returns.example.com' },
    'must not hold a user name',
  ],
  ['an interval that does not divide a minute', { interval: Duration.seconds(7) }, 'Duration.seconds(10)'],
  ['an interval of minutes and seconds', { interval: Duration.seconds(90) }, 'or whole minutes'],
  [
    'an interval shorter than a tick',
    { interval: Duration.millis(500) },
    'interval must be 2, 3, 4, 5, 6, 10',
  ],
  [
    'an interval of fractional seconds',
    { interval: Duration.millis(2_500) },
    'interval must be 2, 3, 4, 5, 6, 10',
  ],
  ["a budget beyond the service's limit", { requestsPerMinute: 301 }, 'a whole number from 10 to 300'],
  ["a field that events can't include", { include: ['address1' as 'order_tags'] }, "can't name address1"],
  ['no budget', { requestsPerMinute: 0 }, 'a whole number from 10 to 300'],
  ['a timeout longer than a tick', { requestTimeout: Duration.minutes(1) }, 'at most 15 seconds'],
  ['no lookback', { lookback: Duration.seconds(0) }, 'lookback must be at least 1 second'],
  ['no settle', { settle: Duration.millis(10) }, 'settle must be at least 1 second'],
  ['a lookback below twice settle', { settle: Duration.minutes(3) }, 'at least twice as long as settle'],
  [
    'a reconciliation without pauses',
    { reconcile: Duration.seconds(5) },
    'reconcile must be at least 1 minute',
  ],
  [
    'reconciliation more often than polls',
    { interval: Duration.minutes(10), reconcile: Duration.minutes(5) },
    'at least as long as interval',
  ],
])('%s is refused with a helpful message', (_, props, help) => {
  const message = refusalOfSource(props);

  expect(message).toContain(help);
  expect(message).toContain('Shop/Feed');
  expect(message).not.toContain('word@');
});

test('all problems are reported at once', () => {
  const message = refusalOfSource({ name: 'A', interval: Duration.seconds(7), requestsPerMinute: 1_000 });

  expect(message.match(/^- /gm)).toHaveLength(3);
});

test('a feed without sources is refused', () => {
  expect(refusal({ sources: [] })).toContain('pass at least one');
});

test('a feed to which commands add sources may have none of its own', () => {
  expect(() => aFeed({ sources: [], addSources: true }).template()).not.toThrow();
});

test('more than ten tokens with names of their own are refused, with the names that would do', () => {
  const [stack, other] = [newStack(), newStack()];
  const sourcesIn = (stack: Stack, own: number) =>
    Array.from({ length: 12 }, (_, at) => {
      const name = `s${at}`;
      return aSource(stack, at < own ? { name } : { name, token: tokenByPrefix(stack, name) });
    });

  const message = refusal({ sources: sourcesIn(stack, 11) }, stack);

  expect(message).toMatch(
    /- 11 tokens have names of their own.*room for 10: begin .*secrets with Shop-Feed-\w+\/tokens\/<host>\//,
  );
  expect(() => aFeed({ sources: sourcesIn(other, 10) }, other)).not.toThrow();
});

test('a name with the prefix of the feed and another host is one of its own', () => {
  const stack = newStack();
  const sources = Array.from({ length: 11 }, (_, at) => {
    const [name, baseUrl] = [`s${at}`, 'https://other.example.com'];
    return aSource(stack, { name, baseUrl, token: tokenByPrefix(stack, name) });
  });

  expect(refusal({ sources }, stack)).toContain('11 tokens have names of their own');
});

test('two sources with the same name are refused', () => {
  const stack = newStack();
  const source = aSource(stack);

  expect(refusal({ sources: [source, source] }, stack)).toContain('There are two sources "acme"');
});

test('sources with one token and too large budgets are refused', () => {
  const stack = newStack();
  const token = aSource(stack).token;
  const sources = (requestsPerMinute: number) =>
    ['acme', 'globex'].map((name) => aSource(stack, { name, token, requestsPerMinute }));

  expect(refusal({ sources: sources(151) }, stack)).toContain('budgets that sum to that or less (now 302)');
  expect(() => checkProps('Shop/Feed', 'feed', { sources: sources(150) })).not.toThrow();
});

test('more sources than fit into a stack are refused with one message', () => {
  const stack = newStack();
  const token = tokenByPrefix(stack, 'all');
  const baseUrl = 'https://returns.example.com/api';
  const sources = Array.from({ length: MOST_SOURCES + 1 }, (_, at) => ({ name: `s${at}`, baseUrl, token }));

  const message = refusal({ sources }, stack);

  expect(message).toContain(`There are ${MOST_SOURCES + 1} sources`);
  expect(message).toContain(`pass at most ${MOST_SOURCES} here`);
});

test('a ledger without a stream is refused', () => {
  const stack = newStack();
  const ledger = dynamodb.Table.fromTableName(stack, 'Ledger', 'ledger');

  const message = refusal({ tables: { ledger } }, stack);

  expect(message).toContain('tables.ledger has no stream');
  expect(message).toContain('pass all three or none');
});

test('an archive of half days is refused', () => {
  expect(refusal({ archiveRetention: Duration.hours(36) })).toContain('Duration.days(30)');
});

test('all meaningful combinations of settings are accepted', () => {
  const stack = newStack();
  const source = aSource(stack, {
    interval: Duration.seconds(2),
    requestsPerMinute: 300,
    requestTimeout: Duration.seconds(15),
    lookback: Duration.minutes(10),
    settle: Duration.seconds(1),
    reconcile: Duration.minutes(1),
  });

  expect(() => aFeed({ sources: [source], archiveRetention: Duration.days(1) }, stack)).not.toThrow();
});
