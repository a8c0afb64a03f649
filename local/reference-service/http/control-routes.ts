// The control interface over HTTP, for `trigger` and for tests in another process. It needs no token: the server answers no
// page of another origin.

import { Hono } from 'hono';
import * as z from 'zod';
import type { Control } from '../control.ts';
import type { KnobName } from '../knobs.ts';
import { KnobError, readKnobs } from '../read-knobs.ts';
import { FAULT_KINDS } from '../service/fault-kinds.ts';
import type { Change } from '../store/change.ts';
import { setFields } from './set-fields.ts';

const groupId = z.int();
const fields = z.record(z.string(), z.unknown());
const change = z.union([z.object({ groupId, step: z.string() }), z.object({ groupId, set: fields })]);
const creation = z.object({ set: fields.default({}) });
const removal = z.object({ groupId });
const faults = z.object({ kind: z.enum(FAULT_KINDS), count: z.int().min(1).default(1) });
const knob = z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) });

/** `GET snapshot`, and `POST` of the others with a JSON object. */
export function controlRoutes(control: Control): Hono {
  const commands: Record<string, (body: unknown) => object> = {
    mutate(body) {
      const read = change.parse(body);
      return summaryOf(control.mutate(read.groupId, 'step' in read ? read.step : setFields(read.set)));
    },
    create: (body) => summaryOf(control.create(setFields(creation.parse(body).set))),
    remove: (body) => summaryOf(control.remove(removal.parse(body).groupId)),
    'fail-next'(body) {
      const { kind, count } = faults.parse(body);
      control.failNext(kind, count);
      return {};
    },
    knob(body) {
      const { name, value } = knob.parse(body);
      for (const [read, setting] of Object.entries(readKnobs([`${name}=${value}`])))
        control.setKnob(read as KnobName, setting as never);
      return control.knobs();
    },
  };
  const app = new Hono();
  app.get('/snapshot', ({ json }) => json(control.snapshot()));
  for (const [name, run] of Object.entries(commands))
    app.post(`/${name}`, async ({ json, req }) => json(run(await req.json())));
  app.onError((error, { json }) => {
    const isOurs = [z.ZodError, RangeError, KnobError, SyntaxError].some((kind) => error instanceof kind);
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : error.message;
    return json({ detail }, isOurs ? 400 : 500);
  });
  return app;
}

/** A change without its groups, which may be large. */
function summaryOf({ before: _before, after, ...change }: Change): object {
  return { ...change, isPresent: after !== undefined };
}
