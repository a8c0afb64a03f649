// The buttons of the page "Stuck", which exist only with `--act`. Each has the effect of a command. An action that
// can't be undone first asks for confirmation on another page.
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import { questionOf } from '../../shared/guarding/describe-hold.ts';
import type { HoldCommand } from '../../shared/guarding/release-hold.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { counted } from '../cli/counts.ts';
import { UsageError } from '../cli/failures.ts';
import { setPaused } from '../operating/pause-webhook.ts';
import { type RedrivenGroup, redriveGroups } from '../operating/redrive-groups.ts';
import { type Released, saveRelease } from '../operating/save-release.ts';
import type { ConsoleFeed } from './console-feed.ts';
import { type ConsoleAction, PageNotFound, type PageRequest } from './console-server.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';

type Fields = PageRequest['fields'];

interface Action {
  readonly label: (fields: Fields) => string;
  /** The question for confirmation; undefined for an action that can be undone or repeated. */
  readonly question?: (fields: Fields, feed: ConsoleFeed) => string | Promise<string>;
  /** @returns the outcome in a sentence */
  readonly act: (feed: ConsoleFeed, fields: Fields) => Promise<string>;
}

const ENDED = {
  released: 'is over. The next tick continues',
  released_before: 'was ended before',
  not_adoptable: 'can’t be adopted: release it instead',
  over: 'has ended',
  unknown: 'never existed',
} as const satisfies Readonly<Record<Released['release']['outcome'], string>>;

const ACTIONS = {
  release: {
    label: ({ hold }) => `Release hold ${hold}`,
    question: (fields, feed) => holdQuestion(feed, fields, 'release'),
    act: (feed, fields) => endHold(feed, fields, 'release'),
  },
  adopt: {
    label: ({ hold }) => `Adopt hold ${hold} without events`,
    question: (fields, feed) => holdQuestion(feed, fields, 'adopt'),
    act: (feed, fields) => endHold(feed, fields, 'adopt'),
  },
  redrive: {
    label: () => 'Try again',
    act: (feed, fields) => redriveNamed(feed, fields, undefined),
  },
  'redrive-all': {
    label: () => 'Try all again',
    act: (feed, fields) => redriven(feed, { to: needed(fields, 'to') }),
  },
  skip: {
    label: ({ skip }) => `Skip event ${skip}`,
    question: async (fields, feed) =>
      `Skip event ${number(fields, 'skip')} of return ${groupIn(fields)} for ` +
      `${await titleOf(feed, needed(fields, 'to'))}? It never gets this event; feed.events_skipped reports that.`,
    act: (feed, fields) => redriveNamed(feed, fields, number(fields, 'skip')),
  },
  resume: {
    label: () => 'Resume',
    async act(feed, fields) {
      const webhook = needed(fields, 'webhook');
      if (!(await feed.webhooks()).some(({ name }) => name === webhook))
        throw new PageNotFound(`There is no webhook "${webhook}" here.`);
      await setPaused({ webhook, endpoints: feed.endpoints, clock: feed.clock }, false);
      return `Webhook ${webhook} is resumed.`;
    },
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof ACTIONS;

async function holdQuestion(feed: ConsoleFeed, fields: Fields, command: HoldCommand): Promise<string> {
  const [{ source, holds }, named] = [await stateIn(feed, fields), number(fields, 'hold')];
  const hold = holds.find((each) => each.number === named);
  if (hold === undefined) throw new PageNotFound(`Source ${source} has no hold ${named}, or it has ended.`);
  return `Source ${source}: ${questionOf(command, hold)}`;
}

async function endHold(feed: ConsoleFeed, fields: Fields, command: HoldCommand): Promise<string> {
  const [{ source }, hold] = [await stateIn(feed, fields), number(fields, 'hold')];
  const { release } = await saveRelease(feed.states, source, hold, Date.now() * MILLISECOND, command);
  return `Hold ${hold} of source ${source} ${ENDED[release.outcome]}.`;
}

/** The action's button; false without `--act`. */
export function actionButton({ acts }: ConsoleFeed, name: ActionName, fields: Fields): Html | false {
  if (!acts) return false;
  const action: Action = ACTIONS[name];
  return form(`/act/${name}`, fields, action.label(fields), action.question !== undefined);
}

function form(path: string, fields: Fields, label: string, isDanger: boolean): Html {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${path}">${inputs}<button${isDanger ? html` class="danger"` : ''}>${label}</button></form>`;
}

/** The actions' handlers; none without `--act`. */
export function createStuckActions(feed: ConsoleFeed): ConsoleAction[] {
  if (!feed.acts) return [];
  return Object.entries<Action>(ACTIONS).map(([name, action]) => ({
    path: `/act/${name}`,
    async run({ fields }) {
      if (action.question !== undefined && fields.confirmed !== 'yes')
        return confirmation(name, await action.question(fields, feed), action.label(fields), fields);
      return { to: `/stuck?done=${encodeURIComponent(await action.act(feed, fields))}` };
    },
  }));
}

function confirmation(name: string, question: string, label: string, fields: Fields): Page {
  const body = html`<h1>Are you sure?</h1><p>${question}</p>
${form(`/act/${name}`, { ...fields, confirmed: 'yes' }, label, true)}
<p><a href="/stuck">Cancel</a></p>`;
  return { title: 'Are you sure?', body };
}

async function redriveNamed(feed: ConsoleFeed, fields: Fields, skip: number | undefined): Promise<string> {
  return redriven(feed, {
    source: (await stateIn(feed, fields)).source,
    group: groupIn(fields),
    generation: fields.generation,
    to: needed(fields, 'to'),
    skip,
  });
}

/** Outcomes that the page lists; the page itself shows what is still stuck. */
const MOST_OUTCOMES = 5;

/** @returns the outcomes in words, those that are equal as one */
async function redriven(feed: ConsoleFeed, request: Parameters<typeof redriveGroups>[1]): Promise<string> {
  const outcomes = new Map<string, RedrivenGroup[]>();
  await redriveGroups(feed, request, async (group) => {
    const name = `${group.destination} ${group.outcome}`;
    outcomes.set(name, [...(outcomes.get(name) ?? []), group]);
  });
  if (outcomes.size === 0) return 'No return is behind any more.';
  const sentences = [...outcomes.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { destination, key, outcome } = first;
    const what = others.length === 0 ? `return ${key.group}` : counted(others.length + 1, 'return');
    return [`${destination}: ${what}: ${outcome}.`];
  });
  const more = sentences.length - MOST_OUTCOMES;
  return [...sentences.slice(0, MOST_OUTCOMES), ...(more > 0 ? [`And ${more} other outcomes.`] : [])].join(
    ' ',
  );
}

/** The destination as the pages name it. */
async function titleOf(feed: ConsoleFeed, named: string): Promise<string> {
  const all = [...feed.destinations, ...(await feed.webhooks())];
  return all.find(({ name }) => name === named)?.title ?? named;
}

/** @throws PageNotFound if there is no such source */
async function stateIn(feed: ConsoleFeed, fields: Fields): Promise<SourceState> {
  const source = needed(fields, 'source');
  const state = await feed.states.load(source);
  if (state === undefined) throw new PageNotFound(`There is no source "${source}" here.`);
  return state;
}

function groupIn(fields: Fields): GroupKey['group'] {
  const group = needed(fields, 'group');
  return isOwnGroup(group) ? group : number(fields, 'group');
}

function number(fields: Fields, name: string): number {
  const value = needed(fields, name);
  if (!/^\d{1,16}$/.test(value))
    throw new UsageError(`The form's "${name}" is no number: load the page again.`);
  return Number(value);
}

function needed(fields: Fields, name: string): string {
  const value = fields[name];
  if (value === undefined || value === '')
    throw new UsageError(`The form has no "${name}": load the page again.`);
  return value;
}
