import { readFileSync } from 'node:fs';
import type { EventOf, EventType } from '../../../shared/contract/event.ts';
import { EVENT_SCHEMAS } from '../../../shared/contract/event.ts';

/** The golden event of a type, from the comparing tests. */
export function goldenEvent<Type extends EventType>(type: Type): EventOf<Type> {
  const file = new URL(`../../shared/comparing/golden/${type}.json`, import.meta.url);
  return EVENT_SCHEMAS[type].parse(JSON.parse(readFileSync(file, 'utf8'))) as EventOf<Type>;
}
