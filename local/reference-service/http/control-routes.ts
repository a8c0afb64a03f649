// The control interface over HTTP, for `trigger` and for tests in another process: `GET snapshot`, and `POST mutate` with a
// step or with fields by path. It needs no token: the server refuses pages of other origins.

import { Hono } from 'hono';
import * as z from 'zod';
import { parseStamp } from '../../../shared/instant.ts';
import type { Control } from '../control.ts';
import type { Alteration } from '../store/store.ts';

const mutation = z.union([
  z.object({ groupId: z.int(), step: z.string() }),
  /** For instance `{ "shipments.0.status": "DELIVERED" }`; stamps may be texts. */
  z.object({ groupId: z.int(), set: z.record(z.string(), z.unknown()) }),
]);

export function controlRoutes(control: Control): Hono {
  const app = new Hono();
  app.get('/snapshot', ({ json }) => json(control.snapshot()));
  app.post('/mutate', async ({ json, req }) => {
    const asked = mutation.parse(await req.json());
    const how = 'step' in asked ? asked.step : setFields(asked.set);
    // The change without its groups, which may be large.
    const { before: _before, after: _after, ...change } = control.mutate(asked.groupId, how);
    return json(change);
  });
  app.onError((error, { json }) => {
    const isOurs = [z.ZodError, RangeError, SyntaxError].some((kind) => error instanceof kind);
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : error.message;
    return json({ detail }, isOurs ? 400 : 500);
  });
  return app;
}

/** An alteration that throws a RangeError for a path that the group does not have. */
function setFields(fields: Readonly<Record<string, unknown>>): Alteration {
  return (draft) => {
    for (const [path, value] of Object.entries(fields)) setField(draft, path, value);
  };
}

function setField(draft: object, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let holder: unknown = draft;
  for (const name of names) holder = isHolderOf(name, holder) ? holder[name] : undefined;
  if (!isHolderOf(last, holder)) throw new RangeError(`a return group has no ${path}`);
  const isStamp = last.endsWith('_at') && typeof value === 'string';
  const set = isStamp ? parseStamp(value)?.instant : value;
  if (isStamp && set === undefined) throw new RangeError(`${path} takes a date-time, not "${value}"`);
  holder[last] = set;
}

function isHolderOf(name: string, value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}
