// Changes of the service in the middle of a run: knobs that have other values for a while, and many groups that change or
// are created at one moment.
import { defaultKnobs, type KnobName, type Knobs } from '../../../local/reference-service/knobs.ts';
import type { Alteration } from '../../../local/reference-service/store/store.ts';
import { DAY, type Instant, MILLISECOND } from '../../../shared/instant.ts';
import type { Bulk } from '../plan.ts';
import type { World } from './world.ts';

/** How the service showed its groups from a moment on. */
export interface Look {
  readonly from: Instant;
  readonly knobs: Readonly<Knobs>;
}

/** Knobs that change how groups are shown, although they do not change. */
const LOOKS: ReadonlySet<KnobName> = new Set(['omissions', 'stampForm', 'stampPrecision', 'newFields']);

/** @returns every look so far; the first begins at minus infinity */
export function watchLooks({ service, time }: World): Look[] {
  const looks: Look[] = [{ from: Number.NEGATIVE_INFINITY, knobs: service.control.knobs() }];
  const { setKnob } = service.control;
  service.control.setKnob = (name, value) => {
    setKnob(name, value);
    if (LOOKS.has(name)) looks.push({ from: time.now(), knobs: service.control.knobs() });
  };
  return looks;
}

export async function runTurns(world: World): Promise<void> {
  await Promise.all([
    ...world.plan.turns.map(async ({ atMs, knobs, forMs }) => {
      await world.time.sleep(atMs);
      turn(world, knobs, 'turned');
      if (forMs === undefined) return;
      await world.time.sleep(Math.min(forMs, world.plan.activeMs - atMs));
      turn(world, asPlanned(world, knobs), 'turned back');
    }),
    ...world.plan.bulks.map(async (bulk) => {
      await world.time.sleep(bulk.atMs);
      world.trace.count(`bulk ${bulk.what}`);
      BULKS[bulk.what](world, bulk);
    }),
  ]);
}

/** Ends the turns that last for a while. */
export function endTurns(world: World): void {
  for (const { knobs, forMs } of world.plan.turns)
    if (forMs !== undefined) turn(world, asPlanned(world, knobs), 'turned back');
}

function turn({ service, trace }: World, knobs: Partial<Knobs>, how: string): void {
  const present = service.control.knobs();
  for (const name of Object.keys(knobs) as KnobName[]) {
    if (present[name] === knobs[name]) continue;
    trace.note('service', `${name} is ${how}`, () => String(knobs[name]));
    trace.count(`${how} ${name}`);
    service.control.setKnob(name, knobs[name] as never);
  }
}

function asPlanned({ plan }: World, knobs: Partial<Knobs>): Partial<Knobs> {
  const planned = { ...defaultKnobs(), ...plan.knobs };
  return Object.fromEntries((Object.keys(knobs) as KnobName[]).map((name) => [name, planned[name]]));
}

/** More than half of all groups without a new stamp is a mistake of the service. */
const FEWER_THAN_HALF = 0.4;
const OLD = 100 * DAY;

const BULKS: Record<Bulk['what'], (world: World, bulk: Bulk) => void> = {
  update: ({ service: { store } }, { groups }) => {
    for (const { id } of [...store.groups()].slice(0, groups)) store.alter(id, anotherMethod);
  },
  'unstamped update': (world, { groups }) => {
    const { store } = world.service;
    const all = [...store.groups()];
    withoutStamps(world, () => {
      for (const { id } of all.slice(0, Math.min(groups, Math.floor(all.length * FEWER_THAN_HALF))))
        store.alter(id, anotherMethod);
    });
  },
  import: ({ service: { control }, serviceNow }, { groups, atMs }) => {
    // Some imports keep the creation that their groups had in another system. The rows of some have one stamp, those of
    // others one second.
    const isOld = atMs % 2 === 1;
    const apart = atMs % 3 === 0 ? 0 : MILLISECOND;
    const last = serviceNow();
    for (let made = 0; made < groups; made += 1) {
      const at = last - (groups - made) * apart;
      control.create((draft) => {
        draft.created_at = isOld ? at - OLD : at;
        draft.updated_at = at;
      });
    }
  },
};

/** While no tick runs, most groups change without a stamp: no reader can tell that from a busy night. */
const CHANGED_IN_A_NIGHT = 0.8;

export async function runNight(world: World): Promise<void> {
  const { plan, time, service, trace } = world;
  if (plan.night === undefined || plan.night.isQuiet) return;
  await time.sleep(plan.night.fromMs + plan.night.forMs / 2);
  trace.count('night');
  const all = [...service.store.groups()];
  withoutStamps(world, () => {
    for (const { id } of all.slice(0, Math.floor(all.length * CHANGED_IN_A_NIGHT)))
      service.store.alter(id, anotherMethod);
  });
}

/** Makes changes that move no stamp. */
export function withoutStamps({ service: { control } }: World, change: () => void): void {
  const { touches } = control.knobs();
  control.setKnob('touches', []);
  change();
  control.setKnob('touches', touches);
}

export function anotherMethod(draft: Parameters<Alteration>[0]): void {
  draft.return_method = draft.return_method === 'SELF_SHIP' ? 'TRADITIONAL' : 'SELF_SHIP';
}
