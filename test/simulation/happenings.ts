// Every state of every group, as the service would show it with all its arrays and nulls, and readable.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { deviate, showGroup } from '../../local/reference-service/showing/show-group.ts';
import { stampFormOf } from '../../local/reference-service/showing/stamp-form.ts';
import type { StoredGroup } from '../../local/reference-service/store/stored-group.ts';
import { type Instant, MILLISECOND, SECOND } from '../../shared/instant.ts';
import type { GroupDocument, Happening } from './checker/evidence.ts';
import type { Look } from './world/turns.ts';
import { clockBehind, type World } from './world/world.ts';

/** The state of a group from a moment on, independent of how the service showed it. */
interface Fact {
  readonly at: Instant;
  readonly shownFrom: Instant;
  readonly group: StoredGroup | undefined;
}

export function happeningsOf(world: World, looks: readonly Look[]): Happening[] {
  const makers = looks.map(({ from, knobs }) => ({ from, make: documentMaker(knobs) }));
  return [...factsByGroup(world)].flatMap(([groupId, facts]) =>
    makers.flatMap(({ from, make }, place) => {
      const until = makers[place + 1]?.from ?? Number.POSITIVE_INFINITY;
      const later = facts.filter(({ at }) => at >= from && at < until);
      return [...seenAnew(world, facts, from), ...later].map(({ at, shownFrom, group }) => ({
        groupId,
        at,
        shownFrom,
        document: group && make(group),
      }));
    }),
  );
}

/** By the true time: the store's own may be behind. */
function factsByGroup({ service }: World): Map<number, Fact[]> {
  const behind = clockBehind(service);
  const facts = new Map<number, Fact[]>();
  const always = Number.NEGATIVE_INFINITY;
  for (const { groupId, at, shownFrom, before, after } of service.control.history()) {
    const known = facts.get(groupId) ?? [];
    if (known.length === 0 && before !== undefined) {
      known.push({ at: always, shownFrom: always, group: before });
    }
    known.push({ at: at + behind, shownFrom: shownFrom + behind, group: after });
    facts.set(groupId, known);
  }
  for (const group of service.store.groups()) {
    if (!facts.has(group.id)) facts.set(group.id, [{ at: always, shownFrom: always, group }]);
  }
  return facts;
}

/** How far behind the true time stamps are, if one without a zone is read as UTC. */
export function stampsBehind({ clockBehindSeconds = 0, stampForm = '' }: Partial<Knobs>): number {
  const zone = stampForm.startsWith('none:') ? stampForm.slice('none:'.length) : 'Z';
  return clockBehindSeconds * SECOND + Date.parse(`1970-01-01T00:00:00${zone}`) * MILLISECOND;
}

/** Longer than any answer takes. */
const ANSWERED_WITHIN_SECONDS = 30;

/** The facts readable when a new look begins: the present, and the past that late and stale reads show. */
function seenAnew({ plan }: World, facts: readonly Fact[], from: Instant): Fact[] {
  const { lateSeconds, staleSeconds = 0 } = plan.knobs;
  const oldest = from - ((lateSeconds?.most ?? 0) + staleSeconds + ANSWERED_WITHIN_SECONDS) * SECOND;
  const before = facts.filter(({ at }) => at < from);
  const first = before.findLastIndex(({ at }) => at <= oldest);
  const seen = before.slice(Math.max(0, first));
  if (seen.every(({ group }) => group === undefined)) return [];
  return seen.map(({ shownFrom, group }) => ({ at: from, shownFrom: Math.max(from, shownFrom), group }));
}

/** Fields that are omitted at random count as present, and so do empty arrays; unreadable groups are not judged. */
function documentMaker(knobs: Readonly<Knobs>): (group: StoredGroup) => GroupDocument {
  const { write } = stampFormOf(knobs);
  return (group) => deviate(showGroup(group, write), knobs) as unknown as GroupDocument;
}
