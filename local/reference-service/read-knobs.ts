// Parses knobs from the command line and the control interface: `limit-max=37`, `order=random`.

import { didYouMean } from '../cli/suggest.ts';
import { KNOBS, type Knobs } from './knobs.ts';

/** Thrown for unknown knobs and invalid values. The message lists all of them. */
export class KnobError extends Error {
  override readonly name = 'KnobError';
}

/** Every knob, for help texts. */
export function listKnobs(): { name: string; values: string; byDefault: string; description: string }[] {
  return Object.entries(KNOBS).map(([name, { values, byDefault, description }]) => {
    const written = Array.isArray(byDefault)
      ? 'all'
      : typeof byDefault === 'object'
        ? '0'
        : String(byDefault);
    return { name: writtenName(name), values, byDefault: written, description };
  });
}

/**
 * The knobs of `name=value` assignments. Names may be in kebab-case or camelCase; the last value of a name counts.
 *
 * @throws KnobError that lists all problems, one a line
 */
export function readKnobs(assignments: readonly string[]): Partial<Knobs> {
  const problems: string[] = [];
  const settings = assignments.flatMap((assignment) => {
    const [written = '', text] = assignment.split(/=(.*)/s).map((part) => part.trim());
    const [name, knob] =
      Object.entries(KNOBS).find(([known]) => [known, writtenName(known)].includes(written)) ?? [];
    const value = knob?.read(text ?? '');
    if (name !== undefined && value !== undefined) return [[name, value]];
    if (text === undefined) problems.push(`knob "${assignment}" has no value: write name=value`);
    else if (knob === undefined)
      problems.push(`there is no knob "${written}".${nearest(written)} --help lists them`);
    else problems.push(`knob ${written} does not take "${text}"; it takes ${knob.values}`);
    return [];
  });
  if (problems.length > 0) throw new KnobError(problems.join('\n'));
  return Object.fromEntries(settings) as Partial<Knobs>;
}

function nearest(written: string): string {
  return didYouMean(written, Object.keys(KNOBS).map(writtenName));
}

function writtenName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
