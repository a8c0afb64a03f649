// Judges a receiver by its answers to the posts of `receiver-steps.ts`. Answers are all that a feed sees of a receiver:
// they do not show what it has done with an event.
import { judgeAnswer } from '../../shared/webhooks/judge-answer.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { formatDuration } from '../cli/durations.ts';
import { explainFailure } from '../status/explain-failure.ts';
import { type CheckPost, EVENT_STEP, type ReceiverStep } from './receiver-steps.ts';

export interface CheckReceiverPorts {
  readonly steps: readonly ReceiverStep[];
  readonly post: (post: CheckPost) => Promise<Answer>;
  /** The receiver's address, for a message. */
  readonly address: string;
  readonly timeoutMs: number;
  /** Ends the check. */
  readonly signal: AbortSignal;
  readonly onStep: (judged: JudgedStep) => Promise<void>;
}

export interface JudgedStep {
  readonly step: string;
  /** Open: the answers, if there are any, show nothing. */
  readonly verdict: 'right' | 'fault' | 'open';
  readonly answers: readonly Answer[];
  /** What the answers mean for the feed, and after a fault what to do. */
  readonly meaning: string;
  readonly page: string;
}

/** Answers that may depend on the event. After any other one to the first event, the rest would only repeat it. */
const ABOUT_EVENT: ReadonlySet<number> = new Set([400, 409, 422, 500]);
const BUSY = 409;
const UNAUTHORIZED = 401;
/** A first post that takes longer counts as hanging. */
const HANGS_AFTER_MS = 1_000;

/**
 * Runs the steps, and one that judges how long the answers took.
 *
 * @returns the steps, without the rest after an answer that leaves nothing to judge
 * @throws Error if the receiver can't be reached, or the signal ends the check
 */
export async function checkReceiver(ports: CheckReceiverPorts): Promise<readonly JudgedStep[]> {
  const { steps, signal, onStep } = ports;
  const judged: JudgedStep[] = [];
  const note = async (step: JudgedStep) => {
    judged.push(step);
    await onStep(step);
  };
  for (const step of steps) {
    const answers = await postAll(step, ports);
    if (signal.aborted) throw new Error('The check was stopped before its end: it shows nothing.');
    const whole = judged.length === 0 ? judgeEndpoint(step, answers, ports) : undefined;
    await note(whole ?? judge(step, answers, judged, ports));
    if (whole !== undefined || answers.some(hasGone)) return judged;
  }
  await note(judgeTimes(judged, ports));
  return judged;
}

async function postAll(
  { posts, isAtOnce = false }: ReceiverStep,
  { post, signal }: CheckReceiverPorts,
): Promise<readonly Answer[]> {
  if (isAtOnce) return Promise.all(posts.map(post));
  const answers: Answer[] = [];
  for (const each of posts) if (!signal.aborted) answers.push(await post(each));
  return answers;
}

/**
 * Judges a first answer that the receiver would give to every event; undefined for any other.
 *
 * @throws Error if there is no answer
 */
function judgeEndpoint(
  { name: step, page }: ReceiverStep,
  answers: readonly Answer[],
  { address }: CheckReceiverPorts,
): JudgedStep | undefined {
  const [answer] = answers;
  if (answer === undefined || isAccepted(answer)) return undefined;
  if ('failure' in answer) {
    const { what, advice } = explainFailure(answer.failure);
    throw new Error(`No answer from ${address}: ${what}. ${advice}`);
  }
  if (ABOUT_EVENT.has(answer.status)) return undefined;
  const { what, advice } = explainFailure(`answered ${answer.status}`);
  const means = what.replace(/^answered \d+(, )?/, '');
  const meaning = `${means === '' ? '' : `${means}; `}${consequenceOf(answer)}. ${advice} Nothing else was posted.`;
  return { step, verdict: 'fault', answers, meaning, page };
}

/** Whether the receiver ended meanwhile. */
function hasGone(answer: Answer): boolean {
  return 'failure' in answer && answer.failure === 'ECONNREFUSED';
}

function judge(
  step: ReceiverStep,
  answers: readonly Answer[],
  before: readonly JudgedStep[],
  ports: CheckReceiverPorts,
): JudgedStep {
  const { name, expects, shows, advice, page } = step;
  const common = { step: name, answers, page };
  if (answers.length === 0)
    return { ...common, verdict: 'open', meaning: "not posted: the webhook's filter excludes it" };
  if (expects === 'rejected' && answers.every((answer) => isAlsoOfEvents(answer, before)))
    return { ...common, verdict: 'open', meaning: 'signed events get this answer as well' };
  const wrong = answers.find((answer) => !isExpected(answer, expects));
  if (wrong === undefined)
    return { ...common, verdict: 'right', meaning: `${shows}${remarkOn(step, answers)}` };
  const about = 'failure' in wrong ? `${describeFailure(wrong.failure, ports.timeoutMs)}: ` : '';
  const consequence = expects === 'rejected' ? '' : `${consequenceOf(wrong)}. `;
  return { ...common, verdict: 'fault', meaning: `${about}${consequence}${advice}` };
}

/** Whether a signed event was rejected like this: then a forged one may have been rejected for another reason. */
function isAlsoOfEvents(answer: Answer, before: readonly JudgedStep[]): boolean {
  const event = before.find(({ step, verdict }) => step === EVENT_STEP && verdict === 'fault');
  const of = (each: Answer) => ('status' in each ? each.status : each.failure);
  return event?.answers.some((each) => of(each) === of(answer)) ?? false;
}

function isExpected(answer: Answer, expects: ReceiverStep['expects']): boolean {
  if ('failure' in answer) return false;
  if (expects === 'rejected') return !isAccepted(answer);
  return isAccepted(answer) || (expects === 'accepted or busy' && answer.status === BUSY);
}

function isAccepted(answer: Answer): boolean {
  return judgeAnswer(answer, 0).kind === 'accepted';
}

/** Any status rejects a forged post. Only this one also tells a feed whose secret is wrong what is wrong. */
function remarkOn({ expects }: ReceiverStep, answers: readonly Answer[]): string {
  const isClear = answers.every((answer) => 'status' in answer && answer.status === UNAUTHORIZED);
  if (expects !== 'rejected' || isClear) return '';
  return `; ${UNAUTHORIZED} is better, after which the feed reads its secrets again`;
}

/** What a feed does after an answer that is not 2xx. */
function consequenceOf(answer: Answer): string {
  const verdict = judgeAnswer(answer, 0);
  if (verdict.kind === 'content') return 'the feed posts it again for a day, then skips it';
  if (verdict.kind === 'failure' && verdict.isForAll) return 'the feed pauses, for all returns';
  return 'the feed posts it again for 30 days, and its return waits';
}

function describeFailure(failure: string, timeoutMs: number): string {
  return failure === 'timeout'
    ? `no answer within ${formatDuration(timeoutMs)}`
    : explainFailure(failure).what;
}

function judgeTimes(judged: readonly JudgedStep[], { timeoutMs }: CheckReceiverPorts): JudgedStep {
  const answers = judged.flatMap((each) => each.answers);
  const slowest = answers.reduce((longest, each) => (each.requestMs > longest.requestMs ? each : longest));
  const common = { step: 'time', answers: [slowest], page: 'docs/webhooks.md#answers' };
  const limit = `the feed waits ${formatDuration(timeoutMs)} for an answer`;
  if (slowest.requestMs > timeoutMs / 2)
    return {
      ...common,
      verdict: 'fault',
      meaning: `the slowest answer; ${limit}. Store the event, answer, and do the work afterwards.`,
    };
  const hangs = slowest.requestMs > HANGS_AFTER_MS;
  const remark = hangs ? '; after a second a post counts as hanging, and may be ended for others' : '';
  return { ...common, verdict: 'right', meaning: `the slowest answer; ${limit}${remark}` };
}
