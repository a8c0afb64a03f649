// Places that a source may set aside: around a row that makes every answer with it fail, a range of six seconds and three
// on both sides can't be read.
import type { Evidence, Happening } from './evidence.ts';
import { timeOf } from './stamps.ts';
import type { GroupHistory } from './states.ts';

const WIDTH = 9_500_000;

/**
 * Returns whether a group fails, or lies in a place of one that does.
 *
 * @param when in the end, or at any time of the run
 */
export function setAside(
  { failing, everFailing, failsOften }: Evidence,
  histories: ReadonlyMap<number, GroupHistory>,
  when: 'in the end' | 'ever',
): (groupId: number) => boolean {
  if (failsOften && when === 'ever') return () => true;
  const groups = when === 'ever' ? everFailing : failing;
  const placesOf = (groupId: number) => {
    const documents = histories.get(groupId)?.documents ?? [];
    return (when === 'ever' ? documents : documents.slice(-1)).map(stampsOf);
  };
  const places = [...groups].flatMap(placesOf);
  return (groupId) =>
    groups.has(groupId) ||
    (places.length > 0 &&
      placesOf(groupId).some((stamps) =>
        places.some((place) => place.some((at, axis) => Math.abs(at - (stamps[axis] ?? 0)) <= WIDTH)),
      ));
}

function stampsOf({ document }: Happening): number[] {
  return [document?.created_at, document?.updated_at].map((stamp) => timeOf(String(stamp)) ?? Number.NaN);
}
