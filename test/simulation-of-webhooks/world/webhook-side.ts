// One webhook: its queue, the Lambda functions that take messages from it and run the sender, and its sweep. A function
// may die at any call, exceed its time, or freeze and continue after its message was received again.
import { filterPolicy } from '../../../shared/contract/event-filter.ts';
import { type Instant, MILLISECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { SweepReport } from '../../../shared/publishing/sweep.ts';
import { formatGroupKey } from '../../../shared/recording/group-key.ts';
import { type SweepWebhookPorts, sweepWebhook } from '../../../shared/webhooks/ring-unsent.ts';
import type { PostRequest } from '../../../shared/webhooks/webhook-ports.ts';
import { createWebhookSender, type RingOutcome } from '../../../shared/webhooks/webhook-sender.ts';
import type { Attempt, Invocation } from '../checker/evidence.ts';
import type { WebhookPlan } from '../plan.ts';
import { createFifoQueue, type FifoQueue, type Received } from './fifo-queue.ts';
import { ATTEMPT_MS, createReceiver, HANGS_AFTER_MS, type Writable } from './receiver.ts';
import type { Subscription } from './topic.ts';
import type { Started, World } from './world.ts';

export interface WebhookSide {
  readonly plan: WebhookPlan;
  readonly subscription: Subscription;
  readonly queue: FifoQueue;
  readonly attempts: readonly Attempt[];
  readonly invocations: readonly Invocation[];
  readonly published: ReadonlyMap<string, boolean>;
  readonly irregular: readonly { readonly group: string; readonly at: Instant }[];
  readonly rungByHand: readonly { readonly group: string; readonly at: Instant }[];
  readonly hiddenTooLong: number;
  /** Rings for a group, like a sweep. */
  ring(key: GroupKey, sequence: number): void;
  /**
   * Rings for a group, like an operator. The webhook gets the event that the message names, even if it is older than
   * the webhook. For a group with a mark the message is handled beside the messages that pause.
   */
  ringByHand(key: GroupKey, sequence: number): Promise<void>;
  sweep(): Promise<void>;
}

/** Lambda's limit, after which the message is free for others. */
const TIMEOUT_MS = 60_000;
/** No attempt begins after this time, because the last one must end within the limit. */
const SENDING_MS = TIMEOUT_MS - ATTEMPT_MS - 10_000;
const HIDDEN_MS = 90_000;
/** After an error of its sender, a message comes again after this time. */
const AFTER_ERROR_S = 5;
const SWEEP_MS = 900_000;

export function createWebhookSide(world: World, plan: WebhookPlan): WebhookSide {
  const { time, trace, fates, start } = world;
  const { name } = plan;
  const random = world.randomFor(`senders of ${name}`);
  const queue = createFifoQueue({ now: time.now, hiddenMs: HIDDEN_MS });
  const receiver = createReceiver({
    ...{ outages: plan.outages, time, start },
    random: world.randomFor(`receiver of ${name}`),
  });
  const attempts: Attempt[] = [];
  const invocations: Writable<Invocation>[] = [];
  const published = new Map<string, boolean>();
  const highest = new Map<string, number>();
  const irregular: { group: string; at: Instant }[] = [];
  const rungByHand: { group: string; at: Instant }[] = [];
  const counts = { running: 0, started: 0, rings: 0, hiddenTooLong: 0 };
  let wakesAt = Number.POSITIVE_INFINITY;

  const noteIrregular = (group: string) => void irregular.push({ group, at: time.now() });

  function notePublished(key: GroupKey, sequence: number): void {
    const group = formatGroupKey(key);
    const id = `${group}_${sequence}`;
    const before = highest.get(group) ?? 0;
    published.set(id, published.get(id) === true || sequence > before);
    highest.set(group, Math.max(before, sequence));
  }

  function ringIn(messageGroup: string, key: GroupKey, sequence: number): void {
    counts.rings += 1;
    queue.send({ messageGroup, deduplicationId: `ring ${counts.rings}`, key, sequence });
    receive();
  }

  /** Starts a sender for each message that can be received, up to the maximum concurrency. */
  function receive(): void {
    while (counts.running < plan.maxConcurrency) {
      const received = queue.receive();
      if (received === undefined) break;
      void invoke(received);
      if (!fates.happens(`${name} message doubled`, 'messageDoubled')) continue;
      noteIrregular(formatGroupKey(received.message.key));
      void invoke(received);
    }
    const next = queue.nextAt();
    if (next === undefined || next >= wakesAt || counts.running >= plan.maxConcurrency) return;
    wakesAt = next;
    void time.sleep((next - time.now()) / MILLISECOND).then(() => {
      if (wakesAt === next) wakesAt = Number.POSITIVE_INFINITY;
      receive();
    });
  }

  function poster({ process, last }: Started, invocation: Invocation) {
    return async (request: PostRequest, signal?: AbortSignal) => {
      const attempt: Writable<Attempt> = {
        ...request,
        invocation,
        decidedAt: last.decidedAt,
        at: time.now(),
      };
      const answer = await process.call('http.post', () => {
        attempt.at = time.now();
        attempts.push(attempt);
        return receiver.answer(request, attempt, signal);
      });
      attempt.seenAt = time.now();
      last.attempt = attempt;
      trace.count(`answer ${attempt.failure ?? attempt.status}`);
      if (plan.shape === 'return') trace.count('whole return posted');
      trace.tell(process.name, () => `${request.id} ${attempt.failure ?? attempt.status}`);
      return answer;
    };
  }

  async function invoke(received: Received): Promise<void> {
    const { key, sequence } = received.message;
    counts.running += 1;
    counts.started += 1;
    const started = world.startSender(`${name}-${counts.started}`);
    const { process, ledger, marks, presentGeneration, endpoints } = started;
    const snapshots = plan.shape === 'return' ? started.snapshots : undefined;
    const invocation: Writable<Invocation> = {
      ...{ group: formatGroupKey(key), rangFor: sequence, startedAt: time.now() },
    };
    invocations.push(invocation);
    trace.note(process.name, 'receives', () => `${invocation.group}_${sequence}, time ${received.receives}`);
    const send = createWebhookSender({
      ...{ webhook: name, filter: plan.filter, ledger, marks, presentGeneration, endpoints, snapshots },
      ...{ clock: process.clock, log: world.log, random: random.fraction },
      ...{ attemptMs: ATTEMPT_MS, retriesAtOnce: plan.retriesAtOnce, hangsAfterMs: HANGS_AFTER_MS },
      post: poster(started, invocation),
    });
    const handled = send({ key, sequence }, SENDING_MS).then(
      (outcome) => conclude(started, received, invocation, outcome),
      async () => {
        await comeAgain(started, received, invocation, AFTER_ERROR_S);
        end(started, invocation, 'threw');
      },
    );
    const over = new AbortController();
    const isOver = time.sleep(TIMEOUT_MS, over.signal);
    await Promise.race([handled, process.ended, isOver]);
    over.abort();
    if (invocation.ending === undefined && (!process.isAlive || world.plan.endsOverdue)) {
      process.kill('over');
      end(started, invocation, 'died');
    }
    counts.running -= 1;
    receive();
  }

  function end({ process }: Started, invocation: Writable<Invocation>, ending: Invocation['ending']): void {
    invocation.endedAt = time.now();
    invocation.ending = ending;
    invocation.faults = process.faults;
    invocation.thrown = process.thrown;
    trace.note(process.name, ending ?? '');
    trace.count(`sender ${ending}`);
    if (ending === 'died' || ending === 'threw') noteIrregular(invocation.group);
  }

  /** Acts like the handler and the event source mapping: deletes the message, or changes its visibility. */
  async function conclude(
    started: Started,
    received: Received,
    invocation: Writable<Invocation>,
    outcome: RingOutcome,
  ): Promise<void> {
    if (outcome.isDone) {
      end(started, invocation, 'done');
      if (fates.happens(`${name} message kept`, 'messageKept')) return trace.count('message kept');
      trace.count(`message ${queue.delete(received) ? 'deleted' : 'deleted too late'}`);
      return;
    }
    await comeAgain(started, received, invocation, Math.ceil(outcome.retryInMs / 1_000));
    end(started, invocation, 'again');
  }

  async function comeAgain(
    { process }: Started,
    received: Received,
    invocation: Writable<Invocation>,
    seconds: number,
  ): Promise<void> {
    invocation.comesAgainAfter = seconds;
    const hidden = await process
      .call('queue.hide', () => queue.hide(received, seconds))
      .catch(() => 'failed' as const);
    trace.count(`message ${hidden}`);
    if (hidden !== 'hidden') noteIrregular(invocation.group);
    if (hidden === 'refused') counts.hiddenTooLong += 1;
  }

  const side: WebhookSide = {
    plan,
    queue,
    attempts,
    invocations,
    published,
    irregular,
    rungByHand,
    get hiddenTooLong() {
      return counts.hiddenTooLong;
    },
    subscription: {
      name,
      activeAt: start + (plan.fromMs + plan.lagMs) * MILLISECOND,
      policy: filterPolicy(plan.filter),
      deliver(event) {
        const {
          generation,
          sequence,
          return_group: group,
        } = event.data as typeof event.data & {
          return_group: { id: number };
        };
        const key = { source: event.source.replace('/sources/', ''), generation, group: group.id };
        notePublished(key, sequence);
        queue.send({ messageGroup: event.partitionkey, deduplicationId: event.id, key, sequence });
        receive();
      },
    },
    ring: (key, sequence) => ringIn(`${key.source}/${key.group}`, key, sequence),
    async ringByHand(key, sequence) {
      rungByHand.push({ group: formatGroupKey(key), at: time.now() });
      notePublished(key, sequence);
      const hasMark = (await world.marks.load(name, key)) !== undefined;
      ringIn(`${hasMark ? 'beside/' : ''}${key.source}/${key.group}`, key, sequence);
    },
    async sweep() {
      const started = world.startProcess(`${name}-sweep`);
      const { process, ledger, marks, presentGeneration, endpoints } = started;
      const snapshots = plan.shape === 'return' ? started.snapshots : undefined;
      const ports: SweepWebhookPorts = {
        ...{ webhook: name, filter: plan.filter, endpoints, snapshots, random: random.fraction },
        ...{ ledger, marks, presentGeneration, clock: process.clock, log: world.log },
        behind: world.marks.listBehind,
        ring: (key, sequence) =>
          process.call('queue.ring', () => {
            trace.count('rung by the sweep');
            side.ring(key, sequence);
          }),
      };
      const swept: Promise<SweepReport | undefined> = sweepWebhook(ports, SWEEP_MS).catch(() => undefined);
      const report = await Promise.race([swept, process.ended]);
      trace.count(`sweep ${report?.complete ? 'complete' : 'ended early'}`);
      if (report)
        for (const what of ['skipped', 'waiting', 'done'] as const)
          trace.count(`swept ${what}`, report[what]);
    },
  };
  return side;
}
