// The verdict about a feed in one line: what is wrong and what to do, or that all is well.

import { failsInARow } from '../../shared/webhooks/endpoint-state.ts';
import { counted } from '../cli/counts.ts';
import type { Moments } from '../cli/moments.ts';
import type { DestinationStatus } from './destination-status.ts';
import type { Concern, FeedVerdict } from './judge-feed.ts';

/** For instance `All well: last complete poll 3 s ago, 0 waiting`. */
export function headlineOf(verdict: FeedVerdict, moments: Moments): string {
  const { concerns, unknown, baseline, polledAt, waiting, isMoreWaiting, destinations } = verdict;
  const [worst, ...others] = concerns;
  if (worst !== undefined) {
    const more = others.length === 0 ? '' : ` (And ${others.length} more.)`;
    return `${sentenceOf(worst, moments)}${more} ${adviceOf(worst)}`;
  }
  if (verdict.verdict === 'new')
    return 'No source has been polled yet: "watch" polls at once, a new stack within two minutes. If not, read its log.';
  const failing = destinations.find(isTryingAgain);
  const known =
    failing !== undefined
      ? waitingSentence(failing, moments)
      : unknown.length === 0
        ? 'All well'
        : 'Well as far as is known';
  const read =
    baseline !== null
      ? `the first reading is under way, ${counted(baseline, 'return')} so far`
      : polledAt === null
        ? 'no complete poll yet'
        : `last complete poll ${moments.age(polledAt)} ago`;
  const more = isMoreWaiting ? ' or more' : '';
  return `${known}${failing === undefined ? ':' : ','} ${read}, ${waiting.toLocaleString('en')}${more} waiting`;
}

/** Whether it fails, and not for so long that it needs an operator. */
function isTryingAgain({ failures, needsAttention }: DestinationStatus): boolean {
  return failsInARow({ failures }) && !needsAttention;
}

function waitingSentence(
  { title, failures, failingSince, lastFailure }: DestinationStatus,
  moments: Moments,
) {
  const since = failingSince === null ? '' : ` since ${moments.short(failingSince)}`;
  return `${title}: waiting for the first accepted event${since} (${lastFailure}, ${failures} times in a row)`;
}

/** For instance `http://127.0.0.1:3000/hook fails since 15:20:07: ECONNREFUSED, nothing listens there.`. */
export function sentenceOf({ subject, is, since, message }: Concern, moments: Moments): string {
  return `${subject} ${is}${since === null ? '' : ` since ${moments.short(since)}`}: ${message}`;
}

/** The first thing to do. A command stands at the end, to be copied. */
function adviceOf({ nextSteps: [first] }: Concern): string {
  if (first === undefined) return '';
  return first.command === null ? first.text : `${first.text} ${first.command}`;
}

/** A concern as JSON, without what the sources and destinations beside it have. */
export function concernJson({ kind, subject, is, since, message, meanwhile, nextSteps }: Concern) {
  return { code: kind, subject, is, since, message, meanwhile: meanwhile ?? null, nextSteps };
}
