// An operator of the feed. The operator's commands never fail.
import { MILLISECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { forgetEvents } from '../../../shared/publishing/forget-events.ts';
import { stepOver } from '../../../shared/publishing/step-over.ts';
import { formatGroupKey } from '../../../shared/recording/group-key.ts';
import { loadEndpoint } from '../../../shared/webhooks/load-endpoint.ts';
import type { WebhookEvidence } from '../checker/evidence.ts';
import type { Operation } from '../plan.ts';
import type { Growth } from './growth.ts';
import type { WebhookSide } from './webhook-side.ts';
import type { World } from './world.ts';

export interface Operator {
  run(): Promise<void>;
  /** Resumes all webhooks. */
  calm(): Promise<void>;
  readonly forgotten: readonly { readonly group: string; readonly through: number }[];
  paused(webhook: string): WebhookEvidence['paused'];
  skippedByHand(webhook: string): WebhookEvidence['skippedByHand'];
}

export function createOperator(world: World, sides: readonly WebhookSide[], growth: Growth): Operator {
  const { time, ledger, marks, endpoints, log, trace } = world;
  const forgotten: { group: string; through: number }[] = [];
  const pauses: { webhook: string; from: number; to: number }[] = [];
  const skips: { webhook: string; group: string; sequence: number }[] = [];
  const presentGeneration = async (source: string) => world.generationOf(source);
  const ports = { ledger, marks, presentGeneration, clock: time, log };

  async function setPaused(webhook: string, isPaused: boolean): Promise<void> {
    const state = await loadEndpoint({ webhook, endpoints, clock: time });
    if (state.isPaused === isPaused) return;
    await endpoints.save(webhook, { ...state, isPaused }, state.version);
    const last = pauses.findLast((pause) => pause.webhook === webhook);
    if (isPaused) pauses.push({ webhook, from: time.now(), to: Number.POSITIVE_INFINITY });
    else if (last !== undefined) last.to = time.now();
  }

  /** Skips the event at which a webhook is stuck. */
  async function skip(side: WebhookSide, key: GroupKey): Promise<void> {
    const { name } = side.plan;
    const { sequence: mark, failingSince } = await marks.position(name, key);
    if (mark === undefined || failingSince === undefined) return;
    const sequence = mark + 1;
    trace.count('stepped over by hand');
    skips.push({ webhook: name, group: formatGroupKey(key), sequence });
    await stepOver({ ...ports, destination: { name } }, key, { from: sequence, to: sequence }, 'by hand');
    await side.ringByHand(key, sequence);
  }

  async function forget(key: GroupKey): Promise<void> {
    const through = ledger.last(key);
    if (through === 0) return;
    forgotten.push({ group: formatGroupKey(key), through });
    const destinations = ['queue', ...sides.map(({ plan }) => plan.name)];
    await forgetEvents({ ...ports, eraser: ledger }, key, through, destinations, true);
  }

  async function carryOut({ kind, webhook, group }: Operation): Promise<void> {
    const side = sides[webhook];
    const key = growth.keyOf(0, group);
    if (side === undefined) return;
    trace.note('operator', kind, () => `${side.plan.name} ${formatGroupKey(key)}`);
    trace.count(`operator ${kind}`);
    if (kind === 'pause' || kind === 'resume') await setPaused(side.plan.name, kind === 'pause');
    else if (kind === 'step over') await skip(side, key);
    else if (kind === 'forget') await forget(key);
    else await side.ringByHand(key, Math.max(1, ledger.last(key)));
  }

  return {
    forgotten,
    paused: (webhook) => pauses.filter((pause) => pause.webhook === webhook),
    skippedByHand: (webhook) => skips.filter((skip) => skip.webhook === webhook),
    async run() {
      for (const operation of world.plan.operations) {
        await time.sleep((world.start - time.now()) / MILLISECOND + operation.atMs);
        await carryOut(operation);
      }
    },
    async calm() {
      for (const { plan } of sides) await setPaused(plan.name, false);
    },
  };
}
