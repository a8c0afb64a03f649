// Changes without a stamp of returns that are 45 days old or about to be: the groups that walks over recent groups leave
// to those over older ones.
import type { StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import { DAY, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { anotherStatus, setStatus } from './hands.ts';
import { withoutStamps } from './turns.ts';
import type { World } from './world.ts';

const OLD = 45 * DAY;
/** Returns that turn old within so long are changed most often: they are where one walk ends and the other begins. */
const SOON = 10 * MINUTE;
const SOON_SHARE = 0.7;

export async function runOldChanges(world: World): Promise<void> {
  const { plan, time, draws, trace } = world;
  if (plan.oldChanges === undefined) return;
  const { fromMs, forMs, changes } = plan.oldChanges;
  await time.sleep(fromMs);
  for (let made = 0; made < changes; made += 1) {
    await time.sleep((forMs / changes) * 2 * draws.old.fraction());
    if (time.elapsed() > (fromMs + forMs) * MILLISECOND) return;
    const group = pickOld(world);
    if (group === undefined) continue;
    trace.count(ageOf(world, group) < OLD ? 'change of a group that turns old' : 'change of an old group');
    withoutStamps(world, () => setStatus(world, group.id, anotherStatus(world, group.shipments[0]?.status)));
  }
}

function pickOld(world: World): StoredGroup | undefined {
  const { service, draws } = world;
  const sent = [...service.store.groups()].filter(({ shipments }) => shipments.length > 0);
  const old = sent.filter((group) => ageOf(world, group) > OLD - SOON);
  const soon = old.filter((group) => ageOf(world, group) < OLD);
  const chosen = soon.length > 0 && draws.old.chance(SOON_SHARE) ? soon : old;
  return chosen.length === 0 ? undefined : draws.old.pick(chosen);
}

function ageOf({ serviceNow }: World, { created_at }: StoredGroup): number {
  return serviceNow() - created_at;
}
