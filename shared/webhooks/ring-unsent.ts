// The sweep of a webhook: it posts nothing, but rings for each group with an unsent event, so that a sender
// sends it. So lost, expired and undeliverable rings do no harm. The sweep skips numbers that are missing from the
// ledger. It is a relay whose destination rings instead of accepting the event, so marks move only over events that the
// filter excludes.
import { isOwnGroup, parseEventId } from '../contract/event-id.ts';
import { DAY, type Instant, MILLISECOND } from '../instant.ts';
import { LEDGER_RETENTION } from '../limits.ts';
import type { GroupKey, SendResult } from '../ports.ts';
import type { Outcome, RelayPorts } from '../publishing/lane.ts';
import { createRelay, type Relay } from '../publishing/relay.ts';
import { type SweepReport, sweepLedger } from '../publishing/sweep.ts';
import { formatGroupKey } from '../recording/group-key.ts';
import { firstEventSince, observedAt } from './first-event.ts';
import { type LoadEndpointPorts, loadEndpoint } from './load-endpoint.ts';
import { logErrorsAlone } from './relay-log.ts';
import { admitsEvent, type WebhookPorts } from './webhook-sender.ts';

export interface RingUnsentPorts
  extends LoadEndpointPorts,
    Pick<RelayPorts, 'ledger' | 'clock' | 'log' | 'random'>,
    Pick<WebhookPorts, 'filter' | 'marks' | 'snapshots'> {
  /** Puts a message into the webhook's queue, which must not drop it as a repeat of an earlier one. */
  readonly ring: (key: GroupKey, sequence: number) => Promise<void>;
}

export interface SweepWebhookPorts extends RingUnsentPorts, Pick<WebhookPorts, 'presentGeneration'> {
  /** The returns that are noted as behind, with their marks. */
  readonly behind: (webhook: string) => AsyncIterable<{
    readonly key: GroupKey;
    readonly sequence: number | undefined;
  }>;
}

/** Leaves time for several daily sweeps. */
const NOTED_AFTER = LEDGER_RETENTION - 5 * DAY;
const DONE: Outcome = { state: 'done' };

/** Sweeps for a webhook; see {@link sweepLedger}. */
export async function sweepWebhook(
  ports: SweepWebhookPorts,
  timeLeftMs: number,
  since?: Instant,
): Promise<SweepReport> {
  const stopAt = ports.clock.elapsed() + timeLeftMs * MILLISECOND;
  const destination = { name: ports.webhook };
  const report = await sweepLedger({ ...ports, destination }, createRingUnsent(ports), timeLeftMs, since);
  if (ports.snapshots !== undefined) await ringExpired(ports, stopAt);
  return report;
}

/** Rings for whole returns that no event of the ledger names any more, but a note does. */
async function ringExpired({ behind, ledger, ring, webhook, clock }: SweepWebhookPorts, stopAt: number) {
  for await (const { key, sequence = 0 } of behind(webhook)) {
    if (clock.elapsed() >= stopAt) return;
    if ((await ledger.read(key, sequence, 1)).length === 0) await ring(key, sequence + 1);
  }
}

/** Returns a relay for {@link sweepLedger}: a group that it rang for is `done`. */
export function createRingUnsent(ports: RingUnsentPorts): Relay {
  return async (groups, timeLeftMs) => {
    const begun = await Promise.all(groups.map((key) => ringUnbegun(ports, key)));
    const relayed = groups.filter((_, index) => begun[index] === undefined);
    const outcomes = await ringBeyondMarks(ports, relayed, timeLeftMs);
    return begun.map((outcome) => outcome ?? (outcomes.shift() as Outcome));
  };
}

/** @returns undefined for a group that has a mark, unless the webhook gets whole returns: no gap keeps a state back */
async function ringUnbegun(ports: RingUnsentPorts, key: GroupKey): Promise<Outcome | undefined> {
  // No webhook gets the feed's own events, so nothing is lost where their mark begins.
  if (isOwnGroup(key.group)) return undefined;
  try {
    const { sequence: mark, failingSince } = await ports.marks.position(ports.webhook, key);
    if (mark !== undefined) {
      if (ports.snapshots === undefined) return undefined;
      if (failingSince === undefined) await noteOld(ports, key, mark);
      await ports.ring(key, mark + 1);
      return DONE;
    }
    const { startedAt } = await loadEndpoint(ports);
    const { sequence, isThere, before } = await firstEventSince(ports.ledger, key, startedAt);
    if (!isThere) return DONE;
    // Numbers that do not show yet may be half of a transaction: a sender must not begin behind them.
    if (before + 1 < sequence) return { state: 'waiting', missing: { from: before + 1, to: sequence - 1 } };
    // No first mark here, where no number is missing: an earlier event's ring may still be on its way to the sender.
    await ports.ring(key, sequence);
    return DONE;
  } catch (cause) {
    return failed(ports, key, cause);
  }
}

/** Notes a whole return whose events expire soon: then only the note names it. One that fails is noted already. */
async function noteOld({ ledger, marks, webhook, clock }: RingUnsentPorts, key: GroupKey, mark: number) {
  const [first] = await ledger.read(key, mark, 1);
  if (first === undefined || observedAt(first) > clock.now() - NOTED_AFTER) return;
  await marks.noteBehind(webhook, key, { sequence: mark + 1, reason: 'it has waited for weeks' });
}

async function ringBeyondMarks(
  ports: RingUnsentPorts,
  groups: readonly GroupKey[],
  timeLeftMs: number,
): Promise<Outcome[]> {
  const rung = new Set<string>();
  const relay = createRelay({
    ...ports,
    // A ring leaves its group unsent, which the relay takes for a failure.
    log: logErrorsAlone(ports.log),
    withholds: ({ group }) => isOwnGroup(group),
    admits: (event) => admitsEvent(ports.filter, event),
    attempts: 1,
    destination: {
      name: ports.webhook,
      send: (events) =>
        Promise.all(
          events.map(async ({ id, data }): Promise<SendResult> => {
            const key = parseEventId(id);
            if (key === undefined) return { sent: false, cause: 'rejected', reason: `its id is ${id}` };
            try {
              await ports.ring(key, data.sequence);
              rung.add(formatGroupKey(key));
            } catch (cause) {
              failed(ports, key, cause);
            }
            return { sent: false, cause: 'failed', reason: 'a sender looks after it' };
          }),
        ),
    },
  });
  const outcomes = await relay(groups, timeLeftMs);
  return groups.map((key, index) => {
    const outcome = outcomes[index] as Outcome;
    return outcome.state === 'failed' && rung.has(formatGroupKey(key)) ? DONE : outcome;
  });
}

function failed({ log, webhook }: RingUnsentPorts, key: GroupKey, cause: unknown): Outcome {
  const { source, generation, group } = key;
  const error = cause instanceof Error ? cause : undefined;
  log.warn('could not ring for group', { webhook, source, generation, group, error });
  return { state: 'failed', reason: 'it could not be rung for' };
}
