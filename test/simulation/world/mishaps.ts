// Mishaps: changes that look like another store. Most are mistakes that are undone after some time; none of their changes
// may be published. The others are real: the operator releases the holds, and all of their changes must be published.
import type { StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import { DAY, type Instant, MILLISECOND } from '../../../shared/instant.ts';
import type { MishapName } from '../plan.ts';
import type { SourceWatch } from '../watch-sources.ts';
import { HANDS } from './hands.ts';
import { type Access, BASE_URL, OTHER_URL, SECOND_URL } from './network.ts';
import { releaseWhatIsHeld } from './operator.ts';
import type { Pollers } from './pollers.ts';
import { anotherMethod, withoutStamps } from './turns.ts';
import { OTHER_TOKEN, SECOND_TOKEN, type World } from './world.ts';

interface Mishap {
  /** Whether it is released; otherwise it is undone. A mistake may be released if look-ups still find everything. */
  readonly isReleased: boolean;
  /** Whether the operator adopts it. @default false */
  readonly isAdopted?: boolean;
  begin(world: World): void | Promise<void>;
}

/** More groups than may be gone in a cycle without a hold. */
const MANY = 25;
const LOOKS_EVERY_MS = 2_000;
const RELEASES_EVERY_MS = 30_000;
/** Walks that read a group with many shipments before they are removed. */
const CROWD_IS_KNOWN_AFTER_MS = 150_000;

const MISHAPS: Record<MishapName, Mishap> = {
  /** The secret gets the token of another brand. */
  'other store': { isReleased: false, begin: (world) => exchange(world, OTHER_TOKEN, 'other') },
  'empty store': { isReleased: false, begin: (world) => exchange(world, OTHER_TOKEN, 'empty') },
  /** The address of another brand's service, which takes the same token. */
  'other address': { isReleased: false, begin: ({ move }) => move(OTHER_URL) },
  /** The same service at another address. */
  'address moved': { isReleased: false, begin: ({ move }) => move(SECOND_URL) },
  'groups removed': {
    isReleased: true,
    begin: (world) => {
      for (const id of someOf(world)) world.service.control.remove(id);
    },
  },
  'store emptied': { isReleased: true, begin: removeAll },
  /** A shop moves: it has a new token, and none of the known groups. */
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
    async begin(world) {
      const crowded = addCrowd(world);
      await world.time.sleep(CROWD_IS_KNOWN_AFTER_MS);
      if (crowded !== undefined && world.service.store.group(crowded) !== undefined)
        world.service.store.alter(crowded, (draft) => draft.shipments.splice(1));
    },
  },
  /** The service accepts the old token, but shows it no groups. */
  'blind token': {
    isReleased: false,
    begin(world) {
      world.service.control.setKnob('badToken', 'empty');
      exchange(world, SECOND_TOKEN, 'own');
    },
  },
  'lists empty': { isReleased: false, begin: emptyLists },
  'lists empty, and released': { isReleased: true, begin: emptyLists },
  /** The service archives groups: neither lists nor look-ups show them. */
  'groups hidden': {
    isReleased: false,
    begin(world) {
      const hidden = new Set(someOf(world));
      const isOld = ({ created_at }: StoredGroup) => created_at < world.serviceNow() - 45 * DAY;
      world.veil.draw((group) => (hidden.has(group.id) || isOld(group) ? undefined : group));
    },
  },
  'shipments hidden': {
    isReleased: false,
    begin: ({ veil }) => veil.draw((group) => ({ ...group, shipments: [] })),
  },
  'look-ups answered otherwise': {
    isReleased: false,
    begin: ({ veil }) => veil.draw((group, isLookUp) => (isLookUp ? inSmallLetters(group) : group)),
  },
  'answered otherwise': { isReleased: false, begin: ({ veil }) => veil.draw(inSmallLetters) },
  /** The service fills a field in all groups anew, which moves no stamp. The feed publishes it an hour later. */
  'mass change': { isReleased: false, begin: changeAll },
  'mass change, and released': { isReleased: true, begin: changeAll },
  'mass change, and adopted': { isReleased: false, isAdopted: true, begin: changeAll },
  /** A replica that lacks rows when a walk reads them, no longer than reads may be stale. */
  'groups hidden for a moment': { isReleased: false, begin: hideFromWalks },
  'changed without stamps': {
    isReleased: true,
    begin(world) {
      const { store } = world.service;
      withoutStamps(world, () => {
        for (const { id } of [...store.groups()])
          store.alter(id, (draft) => void Object.assign(draft, inSmallLetters(draft as StoredGroup)));
      });
    },
  },
};

/** Mishaps in which answers show what never was. */
export const UNTRUE: ReadonlySet<MishapName> = new Set([
  ...([
    'blind token',
    'lists empty',
    'lists empty, and released',
    'groups hidden',
    'shipments hidden',
  ] as const),
  ...(['look-ups answered otherwise', 'answered otherwise'] as const),
]);

const ADOPTION = { command: 'adopt', kinds: ['mass_change'] } as const;

/** Runs the plan's mishap, and undoes or releases it, until the given moment of the elapsed time. */
export async function runMishap(
  world: World,
  sources: readonly Pollers[],
  watches: readonly SourceWatch[],
  until: number,
): Promise<void> {
  const { plan, time, trace } = world;
  if (plan.mishap === undefined) return;
  const { kind, fromMs, forMs } = plan.mishap;
  const mishap = MISHAPS[kind];
  await time.sleep(fromMs);
  // Before it knows all groups, no reader can tell another store.
  while (!watches.every(({ facts }) => facts?.isBaselineComplete)) {
    if (time.elapsed() >= until) return;
    await time.sleep(LOOKS_EVERY_MS);
  }
  trace.note('mishap', kind);
  trace.count(`mishap ${kind}`);
  await mishap.begin(world);
  const end = Math.min(time.elapsed() + forMs * MILLISECOND, until);
  while (time.elapsed() < end) {
    await time.sleep(Math.min(RELEASES_EVERY_MS, (end - time.elapsed()) / MILLISECOND));
    if (mishap.isReleased) for (const { source } of sources) await releaseWhatIsHeld(world, source);
    if (!mishap.isAdopted) continue;
    for (const { source } of sources) await releaseWhatIsHeld(world, source, ADOPTION);
    if (watches.some(({ hasAdopted }) => hasAdopted)) changeSome(world);
  }
  mend(world, kind);
}

function mend(world: World, kind: string): void {
  world.trace.note('mishap', `${kind} is over`);
  world.veil.draw(undefined);
  world.move(BASE_URL);
  if (world.access().sees !== 'own') exchange(world, SECOND_TOKEN, 'own');
}

function emptyLists({ veil }: World): void {
  veil.draw((group, isLookUp) => (isLookUp ? group : undefined));
}

function exchange(world: World, token: string, sees: Access['sees']): void {
  world.exchange({ token, sees });
}

function someOf({ service, draws }: World): number[] {
  const ids = Array.from(service.store.groups(), ({ id }) => id);
  return draws.mishap.shuffle(ids).slice(0, MANY);
}

function removeAll({ service }: World): void {
  for (const { id } of [...service.store.groups()]) service.control.remove(id);
}

function changeAll(world: World): void {
  const { store } = world.service;
  withoutStamps(world, () => {
    for (const { id } of [...store.groups()]) store.alter(id, anotherMethod);
  });
}

/** What changes after it was adopted starts, in its event, from what was published. */
function changeSome(world: World): void {
  for (const id of someOf(world).slice(0, FEW))
    world.service.store.alter(id, (draft) => {
      draft.return_method = 'STORE_DROP_OFF';
    });
}

/** Fewer than make a hold. */
const FEW = 12;
/** Of `settle`, so that two look-ups that it parts do not both miss. */
const HIDDEN_SHARE = 0.8;

function hideFromWalks(world: World): void {
  const { veil, time, plan } = world;
  const ids = new Set(someOf(world).slice(0, FEW));
  const hiddenUntil = new Map<number, Instant>();
  veil.draw((group, isLookUp, { updated }) => {
    if (!ids.has(group.id)) return group;
    const isWalk = !isLookUp && updated === undefined;
    if (isWalk && !hiddenUntil.has(group.id))
      hiddenUntil.set(group.id, time.now() + plan.settings.settleMs * HIDDEN_SHARE * MILLISECOND);
    return time.now() < (hiddenUntil.get(group.id) ?? Number.NEGATIVE_INFINITY) ? undefined : group;
  });
}

/** @returns a group that now has many shipments */
function addCrowd(world: World): number | undefined {
  const group = [...world.service.store.groups()].find(({ shipments }) => shipments.length > 0);
  if (group !== undefined) HANDS.crowd(world, group.id, 0);
  return group?.id;
}

/** Returns the group with the status of every returned item in lower case, like after an upgrade of the service. */
function inSmallLetters(group: StoredGroup): StoredGroup {
  const returns = group.returns.map((item) => ({ ...item, status: item.status.toLowerCase() }));
  return { ...group, returns };
}
