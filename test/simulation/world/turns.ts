// Changes knobs of the service in the middle of a run, and records their values over time for the checker.
import { KNOBS, type KnobName, type Knobs } from '../../../local/reference-service/knobs.ts';
import type { Instant } from '../../../shared/instant.ts';
import type { World } from './world.ts';

/** How the service showed its groups from a moment on. */
export interface Look {
  readonly from: Instant;
  readonly knobs: Readonly<Knobs>;
}

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

const LOOKS: ReadonlySet<KnobName> = new Set(['stampForm', 'stampPrecision', 'omissions']);

export async function runTurns(world: World): Promise<void> {
  await Promise.all(
    (world.plan.turns ?? []).map(async ({ atMs, knobs, forMs }) => {
      await world.time.sleep(atMs);
      turn(world, knobs, 'turned');
      if (forMs === undefined) return;
      await world.time.sleep(forMs);
      turn(world, asPlanned(world, knobs), 'turned back');
    }),
  );
}

function turn({ service, trace }: World, knobs: Partial<Knobs>, how: string): void {
  for (const name of Object.keys(knobs) as KnobName[]) {
    trace.note('service', `${name} is ${how}`, () => String(knobs[name]));
    trace.count(`${how} ${name}`);
    service.control.setKnob(name, knobs[name] as never);
  }
}

function asPlanned({ plan }: World, knobs: Partial<Knobs>): Partial<Knobs> {
  const names = Object.keys(knobs) as KnobName[];
  return Object.fromEntries(names.map((name) => [name, plan.knobs[name] ?? KNOBS[name].byDefault]));
}
