// Plans in which a source's token changes, is missing, or is shared.
import type { Random } from '../../local/reference-service/store/seeded-random.ts';
import type { Plan } from './plan.ts';
import { atMost, withStableOrder } from './plan-limits.ts';

/** The token is rotated under a warm process, and the service answers requests with the old one in any way. */
export function rotating(plan: Plan, random: Random): Plan {
  return {
    ...plan,
    outage: undefined,
    rotationMs: Math.floor(plan.activeMs * (0.3 + 0.4 * random.fraction())),
    warm: 1,
    faults: { ...plan.faults, ...atMost(0.001, plan.faults) },
    knobs: { ...plan.knobs, badToken: random.pick(['403', '404', '500', 'html']) },
  };
}

/** The secret is deleted or contains no token, for a minute, or for longer than such a failure may go unreported. */
export function withoutToken(plan: Plan, random: Random): Plan {
  const { date, ...knobs } = plan.knobs;
  const secret = {
    kind: random.pick(['deleted', 'malformed'] as const),
    fromMs: random.below(60_000),
    forMs: random.pick([60_000, 600_000]),
  } as const;
  return {
    ...plan,
    activeMs: Math.max(plan.activeMs, secret.fromMs + secret.forMs),
    outage: undefined,
    rotationMs: undefined,
    // Only a new process reads the secret. It can't spend its budget on learning that there is no Date.
    warm: 0,
    knobs,
    secret,
    settings: { ...plan.settings, intervalMs: Math.max(15_000, Math.min(30_000, plan.settings.intervalMs)) },
  };
}

/** Two sources with one token and a budget that they use up; one of the two secrets ends with a newline. */
export function sharedToken(plan: Plan): Plan {
  const { rateLimit, latencyMs, pageBytes, limitChanges, ...knobs } = withStableOrder(plan.knobs);
  return {
    ...plan,
    sources: 2,
    outage: undefined,
    rotationMs: undefined,
    tickMs: 50_000,
    // A new process needs its first requests to learn the page size and the time. None would remain for the rest.
    warm: Math.max(0.5, plan.warm),
    secret: { kind: 'newline', fromMs: 0, forMs: plan.activeMs },
    knobs: { ...knobs, limitMax: 10 },
    settings: { ...plan.settings, reconcileMs: 30_000, intervalMs: 5_000, requestsPerMinute: 60 },
  };
}
