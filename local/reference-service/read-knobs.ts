// Parses knobs from the command line and the control interface: `limit-max=37`, `order=random`.

import { didYouMean } from '../cli/suggest.ts';
import { KNOB_NAMES, KNOBS, type KnobName, type Knobs } from './knobs.ts';

/** Thrown for unknown knobs and invalid values. The message lists all of them. */
export class KnobError extends Error {
  override readonly name = 'KnobError';
}

export interface KnobEntry {
  /** In kebab-case. */
  readonly name: string;
  readonly values: string;
  readonly byDefault: string;
  readonly description: string;
}

/** Every knob, for help texts. */
export function listKnobs(): KnobEntry[] {
  return KNOB_NAMES.map((name) => ({
    name: writtenName(name),
    values: KNOBS[name].values,
    byDefault: writtenValue(name, KNOBS[name].byDefault),
    description: KNOBS[name].description,
  }));
}

/**
 * The knobs of `name=value` assignments. Names may be in kebab-case or camelCase; the last value of a name counts.
 *
 * @throws KnobError that lists all problems, one a line
 */
export function readKnobs(assignments: readonly string[]): Partial<Knobs> {
  const problems: string[] = [];
  const settings: [string, unknown][] = [];
  for (const assignment of assignments) {
    const cut = assignment.indexOf('=');
    const result =
      cut === -1
        ? `knob "${assignment}" has no value: write name=value`
        : readKnob(assignment.slice(0, cut).trim(), assignment.slice(cut + 1).trim());
    if (typeof result === 'string') problems.push(result);
    else settings.push(result);
  }
  if (problems.length > 0) throw new KnobError(problems.join('\n'));
  return Object.fromEntries(settings) as Partial<Knobs>;
}

function readKnob(written: string, text: string): string | [KnobName, unknown] {
  const name = KNOB_NAMES.find((known) => known === written || writtenName(known) === written);
  if (name === undefined) return `there is no knob "${written}"${closestTo(written)}`;
  const value = KNOBS[name].read(text);
  if (value !== undefined) return [name, value];
  return `knob ${writtenName(name)} does not take "${text}"; it takes ${KNOBS[name].values}`;
}

function closestTo(written: string): string {
  const start = written
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .slice(0, 4);
  const near = KNOB_NAMES.filter((name) => start.length >= 3 && name.toLowerCase().startsWith(start));
  return near.length === 0
    ? `.${didYouMean(written, KNOB_NAMES.map(writtenName))} --help lists them`
    : `; there is ${near.map(writtenName).join(', ')}`;
}

function writtenName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function writtenValue(name: KnobName, value: unknown): string {
  if (Array.isArray(value)) {
    const all = KNOBS[name].read('all');
    return Array.isArray(all) && all.length === value.length ? 'all' : value.join(',') || 'none';
  }
  if (typeof value === 'object' && value !== null && 'least' in value && 'most' in value) {
    return value.least === value.most ? String(value.least) : `${value.least}-${value.most}`;
  }
  return String(value);
}
