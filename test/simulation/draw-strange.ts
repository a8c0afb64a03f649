// What a plan of the profile `strange` has besides: behaviours that the feed only has to report. Each plan has one or two.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { Random } from '../../local/reference-service/store/seeded-random.ts';
import type { Plan, SimulatedSettings, Turn } from './plan.ts';

const HOUR_SECONDS = 3_600;

export function drawStrangeKnobs(
  random: Random,
  plausible: Partial<Knobs>,
  { lookbackMs, settleMs }: SimulatedSettings,
): Partial<Knobs> {
  const choices: readonly Partial<Knobs>[] = [
    { ignoredFilters: random.pick(['updated', 'created', 'all']) },
    { filterSkewSeconds: random.pick([-5, -1, 1, 5]) * HOUR_SECONDS },
    { pageBytes: random.pick([1, 20_000, 65_536]) },
    { limitMax: 1 + random.below(9) },
    { stampForm: random.pick(['none:+02:00', 'none:+09:00']) },
    { dateSkewSeconds: random.pick([-2, -0.2, 0.1, 3]) * HOUR_SECONDS },
    { dateSkewSeconds: 'no Date' },
    { faultRate: 0.2, faultKinds: ['date-missing', 'date-skewed'] },
    { stampsAheadSeconds: random.pick([90, 600, HOUR_SECONDS, 1_000 * HOUR_SECONDS]) },
    { lateSeconds: { least: 0, most: (lookbackMs / 1_000) * random.pick([1.5, 4]) } },
    { staleShare: 0.3, staleSeconds: (settleMs / 1_000) * random.pick([1.5, 4]) },
    { flickers: true },
    { badToken: 'empty' },
    {},
  ];
  const chosen = [random.pick(choices), random.chance(0.3) ? random.pick(choices) : {}];
  return Object.assign({}, plausible, ...chosen) as Partial<Knobs>;
}

/** Stamps that fall back, and other breaks in the middle. */
export function drawStrangeTurns(random: Random, activeMs: number, planned: Partial<Knobs>): Turn[] {
  if (!random.chance(0.3)) return [];
  const knobs = random.pick<Partial<Knobs>>([
    { stampForm: random.pick(['none:+02:00', 'none:-05:00', 'Z']) },
    { stampPrecision: planned.stampPrecision === 's' ? 'us' : 's' },
    { stampsAheadSeconds: planned.stampsAheadSeconds === undefined ? 600 : 0 },
    { filterSkewSeconds: random.pick([-2, 2]) * HOUR_SECONDS },
    { hiddenEvery: 3 + random.below(20) },
    { omissions: planned.omissions === undefined ? 'samples' : 'none' },
  ]);
  const drawnMs = random.pick([120_000, 600_000, undefined]);
  // A field that is left out again keeps its value in events, so the judge could not tell when it was shown.
  const forMs = 'omissions' in knobs ? undefined : drawnMs;
  return [{ atMs: random.below(activeMs), knobs, ...(forMs === undefined ? {} : { forMs }) }];
}

/** Wrong local clocks, a scheduler of the future, and faults that never end. */
export function strangely(plan: Plan, random: Random): Plan {
  const { faults, bulks } = plan;
  return {
    ...plan,
    clockSkewMs: random.chance(0.15) ? HOUR_SECONDS * 1_000 : plan.clockSkewMs,
    faults: { ...faults, clockJump: random.chance(0.15) ? 0.01 : 0 },
    earlySlot: random.chance(0.05)
      ? { atMs: random.below(plan.activeMs), days: random.pick([1, 365]) }
      : undefined,
    bulks: random.chance(0.1) ? [...bulks, { what: 'import', atMs: 30_000, groups: 60 }] : bulks,
  };
}
