// One verdict about a source, and what to do about it. Pure.
import { hold } from '../../shared/guarding/hold.ts';
import type { Instant } from '../../shared/instant.ts';
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { restLeft } from '../../shared/pacing/rest.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { toWords } from '../cli/given-options.ts';
import { shellWord } from '../cli/shell-word.ts';
import type { GivenOption } from '../store/documents.ts';

/**
 * `held`: a guard waits for an operator. `stopped`: nothing polls it. `failing`: it is polled and not read completely.
 * `removed`: it is no longer configured, and only its state is kept.
 */
export type Verdict = 'well' | 'failing' | 'stopped' | 'held' | 'removed';

export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** A next step for an operator, in words and, if there is one, as a command. */
export interface NextStep {
  readonly text: string;
  readonly command: string | null;
}

/** The process that has a data directory for a `watch`; null if none has it, undefined if that is not known. */
export type Poller = { readonly pid: number } | null | undefined;

export interface Circumstances {
  /** By the local clock. */
  readonly now: Instant;
  /** The flags that name the place of the state, for instance ` --data state`. */
  readonly flags: string;
  readonly isLocal: boolean;
  /** Whether the state was minted in other tables. */
  readonly isRestored: boolean;
  readonly poller: Poller;
  /** The options of the last `watch`; undefined if they are not known. */
  readonly given: readonly GivenOption[] | undefined;
}

/** Nothing polls a source if no tick came for three intervals, but not before this. */
const PATIENCE = 5 * MINUTE;
const PATIENT_INTERVALS = 3;
/** The clocks of two machines differ by less than this. */
const LARGEST_LEAD = MINUTE;

/** Why nothing polls the source; empty if something does. */
export function whyStopped(state: SourceState, circumstances: Circumstances): Reason[] {
  const { now, poller, isRestored, isLocal } = circumstances;
  const lastTick = state.lastSlot === 0 ? undefined : state.lastSlot * MILLISECOND;
  const silence = lastTick === undefined ? Number.POSITIVE_INFINITY : now - lastTick;
  const quietFor = Math.min(silence, now - restEnd(state, now));
  const isLate =
    quietFor > Math.max(PATIENCE, PATIENT_INTERVALS * (state.pace?.intervalMs ?? 0) * MILLISECOND);
  return [
    ...(isRestored ? [RESTORED] : []),
    ...(poller === null ? [NO_WATCH] : isLate ? [silent(poller, isLocal)] : []),
    ...(-silence > LARGEST_LEAD ? [AHEAD] : []),
  ];
}

const HOLD_KINDS: readonly string[] = hold.shape.kind.options;

/** Whether a reason of the source's health is a hold. */
export function isHoldReason({ code }: Reason): boolean {
  return HOLD_KINDS.includes(code);
}

/** When polls go on after a refused token; 0 for an end so far ahead that it comes from a wrong clock. */
function restEnd({ health: { restUntil } }: SourceState, now: Instant): Instant {
  return restUntil > now && restLeft(restUntil, now) === 0 ? 0 : restUntil;
}

const RESTORED = {
  code: 'restored',
  message:
    'Its tables were restored from a backup, or copied, so the feed has stopped. Only a new generation can ' +
    'continue; it publishes every return group again.',
};
const NO_WATCH = { code: 'silent', message: 'No "watch" runs on this directory.' };
const AHEAD = {
  code: 'ahead',
  message:
    'The last tick is in the future: a clock was ahead. Check the clock of this machine and of the one that ' +
    'polls. Once both are right, polling continues within an hour; a restart of "watch" continues at once.',
};

function silent(poller: Poller, isLocal: boolean): Reason {
  if (!isLocal || !poller) return { code: 'silent', message: 'Nothing polls this source.' };
  const message = `Process ${poller.pid} has not polled this source lately: it watches another one, or hangs.`;
  return { code: 'silent', message };
}

/** The next steps for a source that is stopped or failing; holds have their own commands. */
export function nextStepsOf(
  state: SourceState,
  verdict: Verdict,
  stopped: readonly Reason[],
  circumstances: Circumstances,
): NextStep[] {
  const { flags, isLocal, poller, given } = circumstances;
  const { source, baseUrl } = state;
  const isStopped = (code: string) => stopped.some((reason) => reason.code === code);
  if (isStopped('restored'))
    return [step('If the tables are the right ones:', `sources restore ${source}${flags}`)];
  if (!isStopped('silent')) return verdict === 'failing' ? [aboutFailure(state, circumstances)] : [];
  if (!isLocal)
    return [
      step('Read the log of the poller, and check whether the source is configured:', `sources list${flags}`),
    ];
  const first = poller ? 'If it hangs, end it. ' : '';
  const again = 'Start "watch" again, with the same options';
  if (given !== undefined) {
    const { options, variables } = toWords(given);
    const set = variables.length === 0 ? '' : `Set ${variables.join(' and ')} as before. `;
    const whole = options.includes('…') ? ', the whole URL in place of …' : '';
    return [step(`${first}${set}${again}${whole}:`, `watch${options}${flags}`)];
  }
  if (baseUrl === undefined) return [step(`${first}${again}.`)];
  return [step(`${first}${again}:`, `watch --base-url ${shellWord(baseUrl)} --source ${source}${flags}`)];
}

/** @param command of `returns-feed` */
function step(text: string, command?: string): NextStep {
  return { text, command: command === undefined ? null : `npx --no returns-feed ${command}` };
}

function aboutFailure(state: SourceState, { flags, isLocal }: Circumstances): NextStep {
  const { health, setAside, source, baseUrl } = state;
  const code = health.failure?.code ?? health.reasons.find((reason) => !isHoldReason(reason))?.code;
  const group = setAside.find(({ groupId }) => groupId !== undefined)?.groupId;
  if (code === 'refused' || code === 'token_unreadable' || code === 'misconfigured')
    return isLocal
      ? step('Set RETURNS_API_TOKEN to a valid token, and start "watch" again.')
      : step(
          'Correct the address, or the token in the secret that this command names; the next attempt uses it:',
          `sources list${flags}`,
        );
  if (code === 'unreadable' && group !== undefined)
    return step('Its last known state:', `explain ${source} ${group}${flags}`);
  const text = 'Each poll tries again; nothing is lost meanwhile.';
  return isLocal && baseUrl !== undefined && health.failure !== undefined
    ? step(`${text} What the service answers:`, `probe --base-url ${shellWord(baseUrl)}`)
    : step(text);
}
