import { Duration } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { MOST_SUBSCRIPTIONS } from '../../infra/check-subscription.ts';
import type { WebhookOptions } from '../../infra/returns-change-feed.ts';
import { aFeed } from './synthesize.ts';

const URL_OF_WMS = 'https://wms.example.com/hooks/returns';

describe('the options of a webhook', () => {
  const problemsOf = (id: string, options: object) => {
    const { feed: checked } = aFeed();
    checked.addOrderedQueue('Erp');
    try {
      checked.addWebhook(id, { url: URL_OF_WMS, ...options } as WebhookOptions);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const aSecret = { secretName: 'x', secretArn: 'arn:aws:secretsmanager:eu-west-1:1:secret:x' };

  test.each([
    ...['Our WMS', 'W'.repeat(31)].map((id) => ({ id, problem: /Its id must be 1 to 30 of the characters/ })),
    ...['ordered', 'Queue', 'BUS', 'watch', 'Forward-x'].map((id) => ({ id, problem: /Its id is reserved/ })),
    { id: 'Erp', problem: /The id is in use/ },
    { id: 'ERP', problem: /differs from "Erp" only in case/ },
  ])('with the id $id are refused', ({ id, problem }) => {
    expect(problemsOf(id, {})).toMatch(problem);
  });

  test.each(['webhook-id', 'Webhook-Signature', 'Host', 'proxy-authorization', 'transfer-encoding', 'TE'])(
    'with the header %s are refused',
    (name) => {
      expect(problemsOf('Wms', { secretHeaders: { [name]: aSecret } })).toMatch(
        / is reserved for the sender or the connection/,
      );
    },
  );

  test.each<[string, object, RegExp]>([
    ['http', { url: 'http://wms.example.com' }, /must begin with https/],
    ['no URL', { url: 'wms.example.com' }, /is not a URL/],
    ['a password in the URL', { url: 'https://me:secret@wms.example.com' }, /user name or password/],
    ['a private address', { url: 'https://10.1.2.3/hook' }, /10\.1\.2\.3 is not one/],
    ['loopback', { url: 'https://[::1]/hook', allowPrivateAddresses: true }, /::1 is not one/],
    ['link-local addresses', { url: 'https://169.254.169.254/', allowPrivateAddresses: true }, /169\.254/],
    ['a long URL', { url: `https://wms.example.com/${'x'.repeat(1_000)}` }, /url must have at most/],
    ['an invalid header name', { secretHeaders: { 'a b': aSecret } }, /"a b" is not a valid header name/],
    [
      'a header twice',
      { authorization: aSecret, secretHeaders: { Authorization: aSecret } },
      /authorization is given twice/,
    ],
    ['no e-mail address', { notify: 'wms' }, /notify must be an e-mail address \(got "wms"\)/],
    [
      'another media type',
      { contentType: 'text/json' },
      /contentType must be application\/cloudevents\+json or/,
    ],
    ['a filter of whole returns', { filter: { hasTracking: true } }, /hasTracking: is only for .* "return"/],
    ['another shape', { shape: 'parcel' }, /shape must be event or return \(got "parcel"\)/],
    ['a short timeout', { requestTimeout: Duration.millis(999) }, /requestTimeout must be 1 to 25/],
    ['a long timeout', { requestTimeout: Duration.seconds(26) }, /requestTimeout must be 1 to 25/],
    ['one sender', { maxConcurrency: 1 }, /maxConcurrency must be .* from 2 to 1,000 \(got 1\)/],
    ['too many senders', { maxConcurrency: 1_001 }, /maxConcurrency/],
    ['a rate of none', { maxPerSecond: 0 }, /maxPerSecond must be a number from 0\.25 to 1,000 .* \(got 0\)/],
    ['no rate', { maxPerSecond: Number.NaN }, /maxPerSecond must be/],
    ['too high a rate', { maxPerSecond: 1_001 }, /maxPerSecond must be/],
    [
      'a rate too low for its senders',
      { maxPerSecond: 0.9, maxConcurrency: 20 },
      /maxPerSecond must be a number from 1 to 1,000 with a maxConcurrency of 20 \(got 0\.9\)/,
    ],
    ['an immediate alarm', { alarmAfter: Duration.seconds(59) }, /alarmAfter must be at least a minute/],
    ['an unknown source', { filter: { sources: ['globex'] } }, /no source "globex"/],
    ['an unknown status', { filter: { to: ['ARRIVED'] } }, /filter\.to\.0/],
  ])('with %s are refused', (_, options, problem) => {
    expect(problemsOf('Wms', options)).toMatch(problem);
  });

  test('are refused with all their problems at once', () => {
    const wrong = { url: 'ftp://wms.example.com', requestTimeout: Duration.minutes(1), maxConcurrency: 0 };

    expect(problemsOf('bus', wrong)).toMatch(
      /^The webhook bus is invalid:\n- Its id.*\n- The URL.*\n- requestTimeout.*\n- maxConcurrency/,
    );
  });

  test.each<[string, object]>([
    ['at the limits', { requestTimeout: Duration.seconds(25), maxConcurrency: 1_000 }],
    ['with the lowest rate', { maxPerSecond: 0.1, maxConcurrency: 2 }],
    [
      'with a private address, if that is allowed',
      { url: 'https://10.1.2.3/hook', allowPrivateAddresses: true },
    ],
  ])('%s are accepted', (_, options) => {
    expect(problemsOf('Wms', options)).toBe('');
  });

  test('of one webhook too many for the topic are refused', () => {
    const { feed: full } = aFeed({ dashboard: false });
    for (let count = 0; count < MOST_SUBSCRIPTIONS; count += 1) full.addOrderedQueue(`Queue${count}`);

    expect(() => full.addWebhook('Wms', { url: URL_OF_WMS })).toThrow(/The topic has 100 subscriptions/);
  });

  test('of a queue can not take the id of a webhook', () => {
    const { feed: checked } = aFeed();
    checked.addWebhook('Wms', { url: URL_OF_WMS });

    expect(() => checked.addOrderedQueue('Wms')).toThrow(/The id is in use/);
  });
});
