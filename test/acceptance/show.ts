// Texts of problems.
import type { EntityKind, Fields } from './history.ts';
import { WATCHED } from './printed-event.ts';

export function showWatched(kind: EntityKind, fields: Fields): string {
  return JSON.stringify(Object.fromEntries(WATCHED[kind].map((name) => [name, fields[name]])));
}

export function show(value: unknown): string {
  return JSON.stringify(value ?? null);
}

export function iso(time: number): string {
  return new Date(time).toISOString().slice(11);
}
