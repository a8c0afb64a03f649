// Checks that the last state of an entity was published.
import { agrees } from './agreeing.ts';
import type { Evidence, PublishedEntity, Report } from './evidence.ts';
import type { EntityHistory, Fields } from './history.ts';
import { WATCHED } from './printed-event.ts';
import { iso, showWatched } from './show.ts';

export function checkComplete(
  history: EntityHistory,
  published: PublishedEntity | undefined,
  evidence: Evidence,
  report: Report,
): void {
  const { subject, states } = history;
  const final = states.at(-1)?.fields;
  const missing = (text: string) => report('complete', `${subject}: ${text}`);

  if (!published) {
    const { silentUntil } = evidence;
    const knownSilently =
      silentUntil === undefined ? [] : states.filter(({ shownFrom }) => shownFrom <= silentUntil);
    if (final === undefined && knownSilently.length === 0) return;
    if (knownSilently.some(({ fields }) => sameState(history, fields, final, evidence))) return;
    return void missing(
      final ? `never published, is ${showWatched(history.kind, final)}` : 'gone, and never published',
    );
  }
  if (sameState(history, published.state, final, evidence)) return;
  if (!final)
    return void missing(`gone since ${iso(states.at(-1)!.shownFrom)}, and not published as removed`);
  missing(
    `last published as ${published.state ? showWatched(history.kind, published.state) : 'removed'}, is ${showWatched(history.kind, final)} ` +
      `since ${iso(states.at(-1)!.shownFrom)}`,
  );
}

function sameState(
  { kind, states }: EntityHistory,
  published: Fields | undefined,
  final: Fields | undefined,
  evidence: Evidence,
): boolean {
  if (!published || !final) return published === final;
  return WATCHED[kind].every((name) => {
    if (agrees(published[name], final[name], name)) return true;
    const changedAt = states.findLast(({ fields }) => !agrees(fields?.[name], final[name], name));
    const shownFrom = states[changedAt ? states.indexOf(changedAt) + 1 : 0]?.shownFrom ?? 0;
    return evidence.firstShown?.some(
      ({ field, from, until }) => field === name && shownFrom >= from && shownFrom <= until,
    );
  });
}
