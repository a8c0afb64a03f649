// Converts the observations of a run into the checker's evidence: plain data, in the terms of the service and the events.
import { wayOf } from '../../local/reference-service/showing/unreadable.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import { causesOf } from './causes.ts';
import type { Evidence } from './checker/evidence.ts';
import { happeningsOf } from './happenings.ts';
import { nameOfShape } from './lasting-fault.ts';
import { isSteady, type Plan } from './plan.ts';
import { personalNamesOf, secretsOf } from './private-texts.ts';
import { promisesOf } from './promises.ts';
import { type ObservedSources, sourceEvidences } from './source-evidence.ts';
import { timingOf } from './timing.ts';
import { blindsPolls, letsStampsFall } from './turn.ts';
import type { Pollers } from './world/pollers.ts';
import type { Look } from './world/turns.ts';
import type { World } from './world/world.ts';

/** The observations of a run, besides its world. */
export interface Observed extends ObservedSources {
  readonly pollers: readonly Pollers[];
  readonly operatorErrors: readonly Error[];
  /** How the service showed its groups, over time. */
  readonly looks: readonly Look[];
  /** The states of all sources, as last saved. */
  readonly states: readonly unknown[];
}

export function gatherEvidence(world: World, observed: Observed): Evidence {
  const { plan, service, network, time, logged } = world;
  const { settings, outage, secret } = plan;
  const { unreadableEvery } = service.control.knobs();
  const startedAt = time.now() - time.elapsed();
  // With a newline the token still works.
  const closed = outage ?? (secret?.kind === 'newline' ? undefined : secret);
  const happenings = happeningsOf(world, observed.looks);
  const ids = new Set(happenings.map(({ groupId }) => groupId));
  const unreadable = new Set([...ids].filter((id) => unreadableEvery > 0 && id % unreadableEvery === 0));
  const sources = observed.pollers.map(({ source }) => source);
  return {
    sources: observed.pollers.flatMap((pollers) => sourceEvidences(world, observed, pollers)),
    happenings,
    isSteady: isSteady(plan),
    unreadable,
    unreadableInTheEnd: unreadableInTheEnd(world, unreadable),
    tooLarge: refusedOf(world),
    promises: promisesOf(world),
    causes: causesOf(plan, unreadable.size > 0),
    timing: timingOf(world),
    sent: network.sent,
    askedPauses: network.askedPauses,
    requestsPerMinute: settings.requestsPerMinute,
    lookback: settings.lookbackMs * MILLISECOND,
    reportsRead: settings.sourceRead,
    secrets: secretsOf(world),
    personalNames: personalNamesOf(world),
    stored: [...observed.states, ...sources.flatMap((source) => storedOf(world, source))],
    logged,
    falseProofs: observed.pollers.flatMap((pollers) => pollers.falseProofs),
    outage: closed && {
      from: startedAt + closed.fromMs * MILLISECOND,
      to: startedAt + Math.min(closed.fromMs + closed.forMs, plan.activeMs) * MILLISECOND,
    },
    pollsSeeFrom: pollsSeeFrom(plan, startedAt),
    pollsBlind: pollsBlind(plan, startedAt),
    openWalksEnd: openWalksEnd(plan, startedAt),
    lasting: lastingOf(world, startedAt),
    endedAt: time.now(),
    strayWrites: observed.pollers.flatMap((pollers) => pollers.strayWrites()),
    ownErrors: [...observed.pollers.flatMap(({ ownErrors }) => ownErrors), ...observed.operatorErrors].map(
      (error) => error.stack ?? error.message,
    ),
  };
}

function refusedOf({ refusals }: World): Evidence['tooLarge'] {
  const refused = new Map<number, { from: Instant; to: Instant }>();
  for (const { groupId, at } of refusals)
    refused.set(groupId, { from: refused.get(groupId)?.from ?? at, to: at });
  return refused;
}

/** Unreadable groups, except those with the unreadable part in an array that is permanently omitted. */
function unreadableInTheEnd({ plan, service }: World, unreadable: ReadonlySet<number>): ReadonlySet<number> {
  const { unreadableAs, unreadableEvery } = service.control.knobs();
  const { shape, forMs } = plan.lasting ?? {};
  if (shape?.kind !== 'array' || forMs !== undefined) return unreadable;
  const isLeftOut = (id: number) => ARRAYS[wayOf(unreadableAs, id / unreadableEvery)] === shape.name;
  return new Set([...unreadable].filter((id) => !isLeftOut(id)));
}

/** The array with the unreadable entity, for the ways that do not make the row itself or its header unreadable. */
const ARRAYS: Partial<Record<ReturnType<typeof wayOf>, 'returns' | 'refund_transactions'>> = {
  'huge-id': 'returns',
  'doubled-ids': 'returns',
  'no-status': 'returns',
  'status-as-number': 'returns',
  'money-as-text': 'refund_transactions',
};

/** A store that is too large for its pages to be walked at each poll. */
const MANY_GROUPS = 100;
/** After this many cycles walks have found enough changes that polls passed over (shared/tick/stamps-fall-back.ts). */
const CYCLES_UNTIL_SEEN = 2;

function pollsSeeFrom(
  { turns = [], groups, settings, tickMs }: Plan,
  startedAt: Instant,
): Instant | undefined {
  const fall = turns.find(letsStampsFall);
  if (fall === undefined || groups < MANY_GROUPS) return undefined;
  return startedAt + (fall.atMs + CYCLES_UNTIL_SEEN * (settings.reconcileMs + tickMs)) * MILLISECOND;
}

function pollsBlind({ turns = [] }: Plan, startedAt: Instant): Evidence['pollsBlind'] {
  const turn = turns.find(blindsPolls);
  if (turn?.forMs === undefined) return undefined;
  const from = startedAt + turn.atMs * MILLISECOND;
  return { from, to: from + turn.forMs * MILLISECOND };
}

/** Afterwards the run skips time. */
function openWalksEnd({ openWalksEndEveryMs, activeMs }: Plan, startedAt: Instant): Evidence['openWalksEnd'] {
  if (openWalksEndEveryMs === undefined) return undefined;
  return { every: openWalksEndEveryMs * MILLISECOND, until: startedAt + activeMs * MILLISECOND };
}

/** A new token may be found and confirmed some ticks after its exchange. */
const TOKEN_IS_FOUND_WITHIN_MS = 300_000;

/** A page that the feed tries when larger ones fail (shared/reading/page-source.ts). */
const FEW_ROWS = 10;

function lastingOf({ plan, faultyGroups }: World, startedAt: Instant): Evidence['lasting'] {
  const { lasting, settings, activeMs, rotationMs } = plan;
  if (lasting === undefined) return undefined;
  const { fromMs, forMs } = lasting;
  const toMs = forMs === undefined ? undefined : Math.min(fromMs + forMs, activeMs);
  return {
    shape: nameOfShape(lasting.shape),
    what: lasting.what,
    letsFewRowsPass: lasting.shape.kind === 'limit' && lasting.shape.above >= FEW_ROWS,
    groups: faultyGroups,
    from: startedAt + fromMs * MILLISECOND,
    to: toMs === undefined ? undefined : startedAt + toMs * MILLISECOND,
    exchangesToken: rotationMs !== undefined && rotationMs + TOKEN_IS_FOUND_WITHIN_MS > fromMs,
    cycle: settings.reconcileMs * MILLISECOND,
    mayEmptyRanges: plan.groups < GROUPS_IN_EACH_RANGE,
  };
}

/** With so many groups each range of a walk keeps some, whatever a run removes. */
const GROUPS_IN_EACH_RANGE = 40;

function storedOf({ stores }: World, source: string): unknown[] {
  const own = stores.inserted.filter(({ key }) => key.source === source);
  const generations = new Set(own.map(({ key }) => key.generation));
  return [...generations].flatMap((generation) => stores.snapshots.all({ source, generation }));
}
