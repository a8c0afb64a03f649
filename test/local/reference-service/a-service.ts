import {
  createInProcessService,
  type InProcessService,
  type InProcessServiceOptions,
} from '../../../local/reference-service/in-process-service.ts';
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { createVirtualClock } from './virtual-service-clock.ts';

export const STARTED_AT = Date.parse('2026-11-20T10:00:00Z') * 1_000;

/** The parts of a row that tests read. */
export interface Row {
  readonly id: number;
  readonly type?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly customer: { readonly email: string };
  readonly returns: readonly { readonly id: number; readonly status: string; readonly type?: string }[];
  readonly shipments: readonly { readonly id: number; readonly status: string }[];
}

export interface ServiceUnderTest extends InProcessService {
  ask(query?: string, token?: string): Answer;
  rows(query?: string): Row[];
}

/** A service in virtual time, without sockets and without changes of its own. */
export function aService(options: InProcessServiceOptions = {}): ServiceUnderTest {
  const clock = createVirtualClock(STARTED_AT);
  const inProcess = createInProcessService({ groups: 60, life: false, clock, ...options });
  const ask = (query = '', token = inProcess.token) =>
    inProcess.service.answer({ path: '/v2/return-groups', query: new URLSearchParams(query), token });
  return { ...inProcess, ask, rows: (query) => JSON.parse(ask(query).body) as Row[] };
}

/** A stamp as a parameter's value. */
export function parameter(stamp: string): string {
  return encodeURIComponent(stamp);
}
