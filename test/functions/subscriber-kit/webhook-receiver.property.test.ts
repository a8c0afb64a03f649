import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../property-runs.ts';
import { change } from './deliveries.ts';
import { type Deferred, deferred, receiverUnderTest } from './receiver-under-test.ts';
import { attempt, post, signedHeaders } from './signed-requests.ts';

const BODY = JSON.stringify(change(1, 1));

/** Header values that `fetch` accepts. */
const headerValue = fc.string({
  unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
});
const base64 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const signature = fc.oneof(
  headerValue,
  base64.map((text) => `v1,${text}`),
  fc
    .array(
      fc.oneof(
        headerValue,
        base64.map((text) => `v1,${text}`),
      ),
      { maxLength: 4 },
    )
    .map((all) => all.join(' ')),
);
const timestamp = fc.oneof(
  headerValue,
  fc.integer({ min: -400, max: 400 }).map((seconds) => String(Math.floor(Date.now() / 1000) + seconds)),
);

describe('a webhook receiver, for any request', () => {
  it('never answers 2xx without a right signature', async () => {
    const { receiver, handled } = receiverUnderTest();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant(BODY), fc.string({ unit: 'binary' }), fc.uint8Array()),
        fc.record(
          { 'webhook-id': headerValue, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
          { requiredKeys: [] },
        ),
        async (body, headers) => {
          const response = await receiver(post(body as string, headers as Record<string, string>));

          expect(response.status).toBe(401);
        },
      ),
      { numRuns: runs(300) },
    );
    expect(handled).toEqual([]);
  });

  it('never answers 2xx when anything signed was changed', async () => {
    const { receiver, handled } = receiverUnderTest();
    const bytes = Buffer.from(BODY);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('body', 'webhook-id', 'webhook-timestamp', 'webhook-signature'),
        fc.nat(),
        fc.integer({ min: 1, max: 0x7f }),
        async (part, place, flipped) => {
          const headers = signedHeaders(BODY);
          const altered = Buffer.from(part === 'body' ? bytes : (headers[part] ?? ''));
          const at = place % altered.length;
          altered[at] = (altered[at] ?? 0) ^ flipped;
          const text = altered.toString();
          // Exclude headers that `fetch` does not send, and other spellings of the same number.
          fc.pre(part === 'body' || /^[\x21-\x7e]+$/.test(text));
          fc.pre(
            part !== 'webhook-timestamp' ||
              Number.parseInt(text, 10) !== Number.parseInt(headers[part] ?? '', 10),
          );
          const request = part === 'body' ? post(altered, headers) : post(BODY, { ...headers, [part]: text });

          const response = await receiver(request);

          expect(response.status).toBe(401);
        },
      ),
      { numRuns: runs(300) },
    );
    expect(handled).toEqual([]);
  });
});

const step = fc.record({
  group: fc.integer({ min: 1, max: 3 }),
  action: fc.constantFrom('arrive', 'arrive', 'repeat', 'finish', 'fail'),
});

/** A receiver with handlers that the test ends, and what they have handled, by return. */
function withSlowHandlers() {
  const running = new Map<number, Deferred>();
  const done = new Map([1, 2, 3].map((group) => [group, [] as number[]]));
  const overlaps: number[] = [];
  const { receiver } = receiverUnderTest({
    on: {
      'shipment.status_changed': async ({ data }) => {
        const group = data.return_group.id;
        if (running.has(group)) overlaps.push(group);
        const work = deferred();
        running.set(group, work);
        await work.promise.finally(() => running.delete(group));
        done.get(group)?.push(data.sequence);
      },
    },
  });
  const handledOf = (group: number) => done.get(group) ?? [];
  return { receiver, running, handledOf, overlaps };
}

/** A sender posts a return's next event after a 2xx, may post it again meanwhile, and may repeat the last one. */
describe('a webhook receiver, in any interleaving', () => {
  it('handles a return’s events one at a time and in order, and answers 2xx to no failed handler', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { receiver, running, handledOf, overlaps } = withSlowHandlers();
        const answers: Promise<{ readonly status: number; readonly wasHandled: boolean }>[] = [];
        const send = (group: number, sequence: number) => {
          const answered = receiver(attempt(change(group, sequence)));
          answers.push(
            answered.then(({ status }) => ({ status, wasHandled: handledOf(group).includes(sequence) })),
          );
        };

        for (const { group, action } of steps) {
          const last = handledOf(group).at(-1) ?? 0;
          if (action === 'arrive') send(group, last + 1);
          if (action === 'repeat' && last > 0) send(group, last);
          if (action === 'finish') running.get(group)?.resolve();
          if (action === 'fail') running.get(group)?.reject(new Error('not today'));
          await settle();
        }
        for (const work of running.values()) work.resolve();
        const all = await Promise.all(answers);

        expect(overlaps).toEqual([]);
        for (const group of [1, 2, 3])
          expect(handledOf(group)).toEqual(handledOf(group).map((_sequence, index) => index + 1));
        for (const { status, wasHandled } of all)
          expect(wasHandled ? [204, 409] : [500, 409]).toContain(status);
      }),
      { numRuns: runs(100) },
    );
  });
});

/** Runs everything that waits only for the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
