// G7: the ledger has no event of a forgotten group, but for one that reports it and has only the group's id.
import type { SourceEvidence, Violation } from './evidence.ts';
import { isForgottenEvent } from './states.ts';

export function checkForgotten({ source, isLast, isOnly, forgotten, written }: SourceEvidence): Violation[] {
  const violation = (groupId: number, message: string): Violation => ({
    ...{ guarantee: 'G7', source, place: `group ${groupId}` },
    message: `was forgotten, and ${message}`,
  });
  const reports = written.map(({ event }) => event).filter(isForgottenEvent);
  const reported = new Set(reports.map(({ data }) => data.object.id));
  return [
    ...forgotten
      .filter(({ isLeft }) => isLeft)
      .map(({ groupId, through }) =>
        violation(groupId, `an event up to its number ${through} is still there`),
      ),
    // A restored state has no number that is known to be free.
    ...forgotten
      .filter(({ groupId }) => isLast && isOnly && !reported.has(groupId))
      .map(({ groupId }) => violation(groupId, 'no event reports it')),
    ...reports
      .filter(
        ({ data }) =>
          Object.keys({ ...data.object, ...data.return_group })
            .sort()
            .join() !== 'id,type',
      )
      .map(({ data }) => violation(data.object.id, 'its report has more than its id')),
    ...reports
      .filter(({ data }) => !forgotten.some(({ groupId }) => groupId === data.object.id))
      .map(({ data }) => violation(data.object.id, 'nobody asked for it')),
  ];
}
