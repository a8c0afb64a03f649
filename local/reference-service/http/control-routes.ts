// Serves the control interface over HTTP, for tests in another process. Requests from other machines get a 404.

import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { Control } from '../control.ts';
import type { KnobName } from '../knobs.ts';
import { KnobError, listKnobs, readKnobs } from '../read-knobs.ts';
import { FAULT_KINDS } from '../service/fault-kinds.ts';
import type { Change } from '../store/change.ts';
import { setFields } from './set-fields.ts';

const advanceSchema = z.object({ ms: z.number().min(0) });
const groupSchema = z.object({ groupId: z.int() });
const mutateSchema = z.union([
  z.object({ groupId: z.int(), step: z.string() }),
  z.object({ groupId: z.int(), set: z.record(z.string(), z.unknown()) }),
]);
const createSchema = z.object({ set: z.record(z.string(), z.unknown()).default({}) }).default({ set: {} });
const failNextSchema = z.object({ kind: z.enum(FAULT_KINDS), count: z.int().min(1).default(1) });
const knobSchema = z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) });
const sinceSchema = z.object({ after: z.coerce.number().int().min(0).default(0) });

export function addControlRoutes(app: FastifyInstance, control: Control): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!isLoopback(request.socket.remoteAddress)) return reply.code(404).send({ detail: 'Not Found' });
  });
  app.setErrorHandler((error, _request, reply) => {
    const isOurs = error instanceof z.ZodError || error instanceof RangeError || error instanceof KnobError;
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : String((error as Error).message);
    return reply.code(isOurs ? 400 : 500).send({ detail });
  });

  app.post('/advance', async ({ body }) => {
    control.advance(advanceSchema.parse(body).ms);
    return { now: control.now() };
  });
  app.post('/mutate', async ({ body }) => {
    const change = mutateSchema.parse(body);
    return summaryOf(control.mutate(change.groupId, 'step' in change ? change.step : setFields(change.set)));
  });
  app.post('/create', async ({ body }) =>
    summaryOf(control.create(setFields(createSchema.parse(body ?? undefined).set))),
  );
  app.post('/remove', async ({ body }) => summaryOf(control.remove(groupSchema.parse(body).groupId)));
  app.post('/fail-next', async ({ body }) => {
    const { kind, count } = failNextSchema.parse(body);
    control.failNext(kind, count);
    return {};
  });
  app.post('/knob', async ({ body }) => {
    const { name, value } = knobSchema.parse(body);
    for (const [knob, setting] of Object.entries(readKnobs([`${name}=${value}`]))) {
      control.setKnob(knob as KnobName, setting as never);
    }
    return control.knobs();
  });
  app.post('/pause', async () => {
    control.pause();
    return {};
  });
  app.post('/resume', async () => {
    control.resume();
    return {};
  });

  app.get('/knobs', async () => ({ settings: control.knobs(), knobs: listKnobs() }));
  app.get('/snapshot', async () => control.snapshot());
  app.get('/history', async ({ query }) => control.history().slice(sinceSchema.parse(query).after));
  app.get('/requests', async ({ query }) => control.requests().slice(sinceSchema.parse(query).after));
}

/** A change without its groups, which may be large. */
function summaryOf({ before: _before, after, ...change }: Change): object {
  return { ...change, isPresent: after !== undefined };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}
