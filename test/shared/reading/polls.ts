// Polls of a scripted reader, with a settled time twenty minutes ago.
import { MINUTE } from '../../../shared/instant.ts';
import { readNews } from '../../../shared/reading/news.ts';
import type { Page } from '../../../shared/reading/page.ts';
import { type PollOptions, type PollResult, poll, WIDEST_RANGE } from '../../../shared/reading/poll.ts';
import { STAMPS } from './at-noon.ts';
import { aPage, createScriptedReader, pagesInTurn, type ScriptedReader } from './some-rows.ts';
import { NOON } from './worlds.ts';

export const SETTLED = NOON - 20 * MINUTE;
export const LOOKBACK = 5 * MINUTE;

export type Progress = Pick<PollResult, 'settledThrough' | 'rangeWidth'>;

export function optionsOf(reader: ScriptedReader, changed: Partial<PollOptions> = {}) {
  const covered: Progress[] = [];
  const clocks = { stamps: () => STAMPS, now: () => NOON };
  const options: PollOptions = {
    ...reader,
    ...clocks,
    fetchToCover: changed.fetch ?? reader.fetch,
    settledThrough: SETTLED,
    readNews: (since) => readNews(since, { ...reader, ...clocks, ...changed, maxPages: undefined }),
    areNewsDue: () => false,
    isByWalk: () => false,
    knowsTime: () => true,
    lookback: LOOKBACK,
    unsavedFrom: () => undefined,
    onCovered: ({ settledThrough, rangeWidth }) => covered.push({ settledThrough, rangeWidth }),
    expectsLittle: true,
    rangeWidth: WIDEST_RANGE,
    hasTimeFor: () => true,
    ...changed,
  };
  return { options, covered };
}

export const run = (reader: ScriptedReader, changed: Partial<PollOptions> = {}) =>
  poll(optionsOf(reader, changed).options);
export const nothing = () => createScriptedReader(() => aPage([]));
export const tailFirst = (closed: readonly Page['rows'][], tail: Page['rows'] = []) =>
  createScriptedReader(pagesInTurn(tail, ...closed));
