import { expect, test } from 'vitest';
import { checkReceiver } from '../../../local/receiver-check/check-receiver.ts';
import { type CheckPost, receiverSteps } from '../../../local/receiver-check/receiver-steps.ts';
import type { Answer } from '../../../shared/webhooks/webhook-ports.ts';

const ACCEPTED: Answer = { status: 204, retryAfter: undefined, requestMs: 5 };

/** The answer of a right receiver to a post. */
function right({ signing: { by, ageMs, isChanged } }: CheckPost): Answer {
  const isGenuine = by.includes('own') && ageMs === 0 && !isChanged;
  return isGenuine ? ACCEPTED : { ...ACCEPTED, status: 401 };
}

/** The steps with this verdict, by name, with what they mean. */
async function stepsOf(
  post: (post: CheckPost) => Promise<Answer>,
  verdict = 'fault',
): Promise<Map<string, string>> {
  const judged = await checkReceiver({
    steps: receiverSteps(1_763_800_000_000, {}),
    post,
    address: 'http://receiver.test',
    timeoutMs: 15_000,
    signal: new AbortController().signal,
    onStep: async () => {},
  });
  const found = judged.filter((each) => each.verdict === verdict);
  return new Map(found.map(({ step, meaning }) => [step, meaning]));
}

test('finds no fault in a right receiver', async () => {
  expect(await stepsOf(async (post) => right(post))).toEqual(new Map());
});

test('names a receiver that fails when several events arrive at once', async () => {
  let running = 0;
  const post = async (sent: CheckPost): Promise<Answer> => {
    running += 1;
    const isCrowded = running > 2;
    await Promise.resolve();
    running -= 1;
    return isCrowded ? { ...ACCEPTED, status: 503 } : right(sent);
  };

  const faults = await stepsOf(post);

  expect([...faults.keys()]).toEqual(['5 returns at once']);
  expect(faults.get('5 returns at once')).toContain('the feed pauses, for all returns');
});

test('names an answer that takes more than half of the time limit', async () => {
  const taking = (requestMs: number) => async (sent: CheckPost) => ({ ...right(sent), requestMs });

  const [near, within] = [await stepsOf(taking(7_501)), await stepsOf(taking(7_500))];

  expect([...near.keys()]).toEqual(['time']);
  expect(near.get('time')).toContain('the feed waits 15 s for an answer');
  expect([...within.keys()]).toEqual([]);
});

test('names an event without an answer in time', async () => {
  const faults = await stepsOf(async (sent) =>
    sent.body.includes('_release"') && sent.body.includes('"type":"shipment.changed_in')
      ? { failure: 'timeout', requestMs: 15_000 }
      : right(sent),
  );

  expect([...faults.keys()]).toEqual(['unknown type', 'time']);
  expect(faults.get('unknown type')).toContain('no answer within 15 s: the feed posts it again for 30 days');
});

test('takes a forged post without an answer for a fault: the receiver may have crashed', async () => {
  const faults = await stepsOf(async (sent) =>
    sent.signing.by.length === 0 ? { failure: 'ECONNRESET', requestMs: 1 } : right(sent),
  );

  expect([...faults.keys()]).toEqual(['no signature']);
});

test('ends with the step at which the receiver has gone', async () => {
  let posts = 0;
  const post = async (sent: CheckPost): Promise<Answer> => {
    posts += 1;
    return posts < 5 ? right(sent) : { failure: 'ECONNREFUSED', requestMs: 1 };
  };

  const faults = await stepsOf(post);

  expect([...faults.keys()]).toEqual(['stale event']);
  expect(posts).toBe(5);
});

test('leaves open whether forged events are rejected where signed ones are, in the same way', async () => {
  const broken = async ({ body }: CheckPost): Promise<Answer> =>
    body.includes('endpoint_test') ? ACCEPTED : { ...ACCEPTED, status: 500 };

  const open = await stepsOf(broken, 'open');

  expect([...open.keys()]).toEqual([
    ...['wrong signature', 'no signature', 'changed byte', 'old timestamp', 'future timestamp'],
  ]);
});
