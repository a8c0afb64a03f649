// The rules that every save must follow. A save that breaks one is a bug of the caller, and would make the numbers of
// events wrong.
import { formatEventId } from '../contract/event-id.ts';
import type { GroupKey, Save } from '../ports.ts';

/** @throws RangeError naming the rule that is broken. */
export function checkSave(key: GroupKey, { snapshot, expectedVersion, events }: Save): void {
  const rules: readonly [boolean, string][] = [
    [snapshot.groupId === key.group, 'the snapshot is of another group'],
    [snapshot.version === expectedVersion + 1, 'its version is not one more than the expected one'],
    [
      areNumberedUpTo(key, snapshot.sequence, events),
      "its events are not numbered up to the snapshot's sequence",
    ],
  ];
  const broken = rules.find(([holds]) => !holds);
  if (broken !== undefined)
    throw new RangeError(`Group ${key.group} can't be saved like this: ${broken[1]}.`);
}

function areNumberedUpTo(key: GroupKey, last: number, events: Save['events']): boolean {
  const first = last - events.length + 1;
  return (
    first > 0 &&
    events.every(({ id, data }, at) => {
      const sequence = first + at;
      return data.sequence === sequence && id === formatEventId({ ...key, sequence });
    })
  );
}
