import { existsSync, readFileSync } from 'node:fs';
import type { EventOf, EventType } from '../../../shared/contract/event.ts';
import { EVENT_SCHEMAS } from '../../../shared/contract/event.ts';

/** The golden event of a type, from the comparing tests; the recorded example of a type that comparing does not make. */
export function goldenEvent<Type extends EventType>(type: Type): EventOf<Type> {
  const golden = new URL(`../../shared/comparing/golden/${type}.json`, import.meta.url);
  const example = new URL(`../../../docs/events/examples/${type}.json`, import.meta.url);
  const file = existsSync(golden) ? golden : example;
  return EVENT_SCHEMAS[type].parse(JSON.parse(readFileSync(file, 'utf8'))) as EventOf<Type>;
}
