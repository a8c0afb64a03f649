// What looks to the feed like another store, or like another way to answer. Some of it is a mistake, mended after a
// while: nothing of it may ever be told. The rest is so: the operator looks, releases what is held, and all of it is
// to be told. Each begins once everything known was walked, for only then the guards know what to compare with.
import type { StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import { type Instant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import type { SourceState } from '../../../shared/source-state.ts';
import { CROWD, HANDS } from './hands.ts';
import { releaseWhatIsHeld } from './operator.ts';
import { OTHER_TOKEN, SECOND_TOKEN, type World } from './world.ts';

interface Mishap {
  /** Else it is mended. A mistake may be released where look-ups still find everything, and so harm is none. */
  readonly isReleased: boolean;
  /** A group that has to be made, and known to the feed, before it begins. */
  readonly needsCrowd?: boolean;
  begin(world: World, about: About): void;
}

interface About {
  /** The group with a crowd of shipments, where one was asked for. */
  readonly crowded: number;
  /** What was updated a second before this or earlier is not polled any more. */
  readonly settledThrough: Instant;
}

/** Beyond what may be gone, or differ, in a cycle. */
const MANY = 25;

export const MISHAPS = {
  /** The secret is given the token of another brand. */
  'other store': {
    isReleased: false,
    begin: (world) => exchange(world, OTHER_TOKEN, 'other'),
  },
  'empty store': {
    isReleased: false,
    begin: (world) => exchange(world, OTHER_TOKEN, 'empty'),
  },
  /** The old token is not refused, it sees nothing any more. */
  'blind token': {
    isReleased: false,
    begin(world) {
      world.trace.count('knob badToken=empty');
      world.service.control.setKnob('badToken', 'empty');
      exchange(world, SECOND_TOKEN, 'own');
    },
  },
  'lists empty': {
    isReleased: false,
    begin: emptyLists,
  },
  'lists empty, and released': {
    isReleased: true,
    begin: emptyLists,
  },
  'groups hidden': {
    isReleased: false,
    begin(world) {
      const hidden = new Set(someOf(world, MANY));
      world.veil.draw((group) => (hidden.has(group.id) ? undefined : group));
    },
  },
  'shipments hidden': {
    isReleased: false,
    needsCrowd: true,
    begin: ({ veil }, { crowded }) =>
      veil.draw((group) => (group.id === crowded ? { ...group, shipments: [] } : group)),
  },
  'answered otherwise': {
    isReleased: false,
    begin(world, { settledThrough }) {
      const before = new Map(Array.from(world.service.store.groups(), (group) => [group.id, group]));
      world.veil.draw((group) => {
        const isAsBefore = before.get(group.id)?.updated_at === group.updated_at;
        return isAsBefore && group.updated_at < settledThrough - SECOND ? inOtherWords(group) : group;
      });
    },
  },
  'groups removed': {
    isReleased: true,
    begin(world) {
      for (const id of someOf(world, MANY)) world.service.control.remove(id);
    },
  },
  /** All of them: no known group is found by its id any more. */
  'store emptied': {
    isReleased: true,
    begin: (world) => removeAll(world),
  },
  /** A shop moves: a new token, and nothing known is there. */
  'store replaced': {
    isReleased: true,
    begin(world) {
      removeAll(world);
      for (let made = 0; made < 6; made += 1) world.service.control.create();
      exchange(world, SECOND_TOKEN, 'own');
    },
  },
  'shipments removed': {
    isReleased: true,
    needsCrowd: true,
    begin: ({ service }, { crowded }) =>
      void service.store.alter(crowded, (draft) => draft.shipments.splice(1)),
  },
  'changed without stamps': {
    isReleased: true,
    begin({ service }) {
      const { touches } = service.control.knobs();
      service.control.setKnob('touches', []);
      for (const { id } of [...service.store.groups()]) {
        service.store.alter(id, (draft) => void Object.assign(draft, inOtherWords(draft as StoredGroup)));
      }
      service.control.setKnob('touches', touches);
    },
  },
} as const satisfies Record<string, Mishap>;

export type MishapName = keyof typeof MISHAPS;

export const MISHAP_NAMES = Object.keys(MISHAPS) as MishapName[];

const LOOKS_EVERY_MS = 2_000;
/** What begins later than that before the end is not noticed by then. */
const NOTICED_WITHIN = 60_000 * MILLISECOND;

/** Lets the plan's mishap happen, and mends or releases it, until the given moment of the elapsed time. */
export async function runMishap(world: World, sources: readonly string[], until: number): Promise<void> {
  const { plan, time, trace } = world;
  if (plan.mishap === undefined) return;
  const { kind, fromMs, forMs } = plan.mishap;
  const mishap: Mishap = MISHAPS[kind];
  await time.sleep(fromMs);
  const about = await waitFor(world, until - NOTICED_WITHIN, () => prepare(world, sources, mishap));
  if (about === undefined) return;
  trace.note('mishap', kind);
  trace.count(`mishap ${kind}`);
  mishap.begin(world, about);
  const pause = () => time.sleep(Math.min(forMs, (until - time.elapsed()) / MILLISECOND));
  await pause();
  while (mishap.isReleased && time.elapsed() < until) {
    for (const source of sources) await releaseWhatIsHeld(world, source);
    await pause();
  }
  mend(world, kind);
}

function emptyLists({ veil }: World): void {
  veil.draw((group, isLookUp) => (isLookUp ? group : undefined));
}

function mend(world: World, kind: MishapName): void {
  world.trace.note('mishap', `${kind} is over`);
  world.veil.draw(undefined);
  if (world.access().sees !== 'own') exchange(world, SECOND_TOKEN, 'own');
}

async function waitFor<Found>(
  { time }: World,
  until: number,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  while (time.elapsed() < until) {
    const found = await find();
    if (found !== undefined) return found;
    await time.sleep(LOOKS_EVERY_MS);
  }
  return undefined;
}

/** @returns undefined as long as something is not known that has to be */
async function prepare(
  world: World,
  sources: readonly string[],
  { needsCrowd = false }: Mishap,
): Promise<About | undefined> {
  const states = await Promise.all(sources.map((source) => world.stores.states.load(source)));
  const known = states.filter((state) => state !== undefined && isBetweenWalks(state)) as SourceState[];
  if (known.length < sources.length) return undefined;
  const crowded = needsCrowd ? findCrowd(world) : 0;
  if (!known.every((state) => !needsCrowd || knowsCrowd(world, state, crowded))) return undefined;
  return { crowded, settledThrough: Math.min(...known.map(({ settledThrough }) => settledThrough)) };
}

/**
 * Whether all was walked, and no walk is under way: what begins in the middle of one is judged by what is left of it,
 * which may be too little to be too much; docs/guarantees.md, "Where they end".
 */
function isBetweenWalks({ baseline, reconciliation, lease }: SourceState): boolean {
  const { recent, open, all } = reconciliation;
  const isUnderWay = lease.expiresAt > 0 || [recent, open, all].some((cycle) => cycle.isUnderWay);
  return baseline.status === 'completed' && all.lastCompletedAt !== undefined && !isUnderWay;
}

/** The group that has one; it is made where there is none. */
function findCrowd(world: World): number {
  const groups = [...world.service.store.groups()];
  const crowded = groups.find(({ shipments }) => shipments.length > CROWD);
  const chosen = crowded ?? groups.find(({ shipments }) => shipments.length > 0);
  if (crowded === undefined && chosen !== undefined) HANDS.crowd(world, chosen.id, 0);
  return chosen?.id ?? 0;
}

function knowsCrowd({ stores }: World, { source, generation }: SourceState, groupId: number): boolean {
  const snapshot = stores.snapshots.all({ source, generation }).find((known) => known.groupId === groupId);
  return (snapshot?.projection.shipments?.length ?? 0) > CROWD;
}

function exchange(world: World, token: string, sees: 'own' | 'other' | 'empty'): void {
  if (sees !== 'own') world.trace.count(`knob tokenSees=${sees}`);
  world.exchange({ token, sees });
}

function someOf({ service, draws }: World, count: number): number[] {
  const ids = Array.from(service.store.groups(), ({ id }) => id);
  return draws.mishap.shuffle(ids).slice(0, count);
}

function removeAll({ service }: World): void {
  for (const { id } of [...service.store.groups()]) service.control.remove(id);
}

/** The same with every status in small letters, as after an upgrade of the service. */
function inOtherWords(group: StoredGroup): StoredGroup {
  const returns = group.returns.map((item) => ({ ...item, status: item.status.toLowerCase() }));
  return { ...group, returns };
}
