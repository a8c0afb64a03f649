// Mishaps: changes that look like another store, or like another notation. Most are mistakes that are undone after some
// time; none of their changes may ever be published. One of them is released, because look-ups still find every group.
// The others are real: the operator releases the holds, and all of their changes must be published. A moved address
// shows the same store.
import type { StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import { type Instant, SECOND } from '../../../shared/instant.ts';
import { RECENT } from '../../../shared/limits.ts';
import type { Tier } from '../../../shared/source/cycle-state.ts';
import type { MishapName } from '../mishap-names.ts';
import { OTHER_URL, SECOND_URL } from './network.ts';
import { inSmallLetters, type Show, shownOtherwise, withPrefix } from './shown-otherwise.ts';
import { OTHER_TOKEN, SECOND_TOKEN, type World } from './world.ts';

export interface Mishap {
  /** Whether it is released; otherwise it is undone. A mistake may be released if look-ups still find everything. */
  readonly isReleased: boolean;
  /** Whether a group with a crowd must exist, and be known to the feed, before it begins. */
  readonly needsCrowd?: boolean;
  /**
   * The walks that read its groups.
   *
   * @default all of them
   */
  readonly walks?: readonly Tier[];
  /** Returns whether it affects enough groups to begin or to continue. */
  isEnough?(world: World, about: About): boolean;
  begin(world: World, about: About): void;
}

export interface About {
  /** The group with a crowd of shipments, if needed. */
  readonly crowded: number;
  /** By the stamps' clock. */
  readonly settledThrough: Instant;
}

/** Polls overlap by a second, and request whole seconds if stamps have no fractions. */
const POLLED_BEFORE = 2 * SECOND;

/** Share of the groups. More than half trigger the hold, and a few of them may be read without the difference. */
const WELL_ABOVE_HALF = 0.75;

/** More groups than may be gone, or differ, in a cycle without a hold. */
const MANY = 25;

const HIDDEN_SHARE = 0.7;

export const MISHAPS = {
  /** The secret gets the token of another brand. */
  'other store': {
    isReleased: false,
    begin: (world) => exchange(world, OTHER_TOKEN, 'other'),
  },
  'empty store': {
    isReleased: false,
    begin: (world) => exchange(world, OTHER_TOKEN, 'empty'),
  },
  /** The address of another brand's service, which takes the same token. */
  'other address': {
    isReleased: false,
    begin: ({ move }) => move(OTHER_URL),
  },
  /** The same service at another address. */
  'address moved': {
    isReleased: false,
    begin: ({ move }) => move(SECOND_URL),
  },
  /** The service accepts the old token, but shows it no groups. */
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
      // In each piece of a list without order too, more than may be gone.
      const share = world.plan.knobs.order === 'random' ? HIDDEN_SHARE : 0;
      const groups = [...world.service.store.groups()].length;
      const hidden = new Set(someOf(world, Math.max(MANY, share * groups)));
      world.veil.draw((group) => (hidden.has(group.id) ? undefined : group));
    },
  },
  /** The service archives old groups: neither lists nor look-ups show them. */
  'old groups hidden': {
    isReleased: false,
    walks: ['open', 'all'],
    begin: ({ veil, time }) => veil.draw((group) => (isOld(group, time.now()) ? undefined : group)),
  },
  /** Look-ups show groups in another way than lists do. In a large store look-ups read the old groups that are open. */
  'look-ups answered otherwise': {
    isReleased: false,
    walks: ['open', 'all'],
    isEnough: areMostSettled,
    begin: (world, about) => answerOtherwise(world, about, shownOtherwise(world), ({ isLookUp }) => isLookUp),
  },
  'shipments hidden': {
    isReleased: false,
    needsCrowd: true,
    begin: ({ veil }, { crowded }) =>
      veil.draw((group) => (group.id === crowded ? { ...group, shipments: [] } : group)),
  },
  'answered otherwise': {
    isReleased: false,
    isEnough: areMostSettled,
    begin: (world, about) => answerOtherwise(world, about, shownOtherwise(world)),
  },
  'groups removed': {
    isReleased: true,
    begin(world) {
      for (const id of someOf(world, MANY)) world.service.control.remove(id);
    },
  },
  /** All groups are removed: no known group is found by its id. */
  'store emptied': {
    isReleased: true,
    begin: (world) => removeAll(world),
  },
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
        service.store.alter(id, (draft) => void Object.assign(draft, inSmallLetters(draft as StoredGroup)));
      }
      service.control.setKnob('touches', touches);
    },
  },
} as const satisfies Record<MishapName, Mishap>;

/** A mistake that differs from every other one. */
export const ANOTHER_MISTAKE: Mishap = {
  isReleased: false,
  isEnough: areMostSettled,
  begin: (world, about) => answerOtherwise(world, about, withPrefix),
};

function areMostSettled({ service }: World, about: About): boolean {
  const groups = [...service.store.groups()];
  return groups.filter((group) => isSettled(group, about)).length > groups.length * WELL_ABOVE_HALF;
}

/** Shows groups in another way as long as they do not change. */
function answerOtherwise(
  world: World,
  about: About,
  show: Show,
  isAffected: (request: { readonly isLookUp: boolean }) => boolean = () => true,
): void {
  const before = new Map(Array.from(world.service.store.groups(), (group) => [group.id, group]));
  world.veil.draw((group, isLookUp) => {
    const isAsBefore = before.get(group.id)?.updated_at === group.updated_at;
    return isAsBefore && isSettled(group, about) && isAffected({ isLookUp }) ? show(group) : group;
  });
}

/** Whether only walks over open groups and those over all groups read it. */
function isOld({ created_at }: StoredGroup, now: Instant): boolean {
  return created_at < now - RECENT;
}

function emptyLists({ veil }: World): void {
  veil.draw((group, isLookUp) => (isLookUp ? group : undefined));
}

export function exchange(world: World, token: string, sees: 'own' | 'other' | 'empty'): void {
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

/** Returns whether polls no longer read the group. */
function isSettled({ updated_at }: StoredGroup, { settledThrough }: About): boolean {
  return updated_at < settledThrough - POLLED_BEFORE;
}
