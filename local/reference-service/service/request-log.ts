import type { Instant } from '../../../shared/instant.ts';
import type { FaultKind } from './fault-kinds.ts';

export interface LoggedRequest {
  /** When it was received. */
  readonly at: Instant;
  readonly path: string;
  /** Without its `?`. */
  readonly query: string;
  /** Of the answer; 200 for one that was never sent. */
  readonly status: number;
  readonly rows: number;
  readonly fault?: FaultKind;
}

export interface RequestLog {
  add(request: LoggedRequest): void;
  all(): readonly LoggedRequest[];
}

/** Enough for hours of testing; beyond it the older half is forgotten. */
const REQUESTS_KEPT = 200_000;

export function createRequestLog(): RequestLog {
  let requests: LoggedRequest[] = [];
  return {
    add(request) {
      if (requests.length >= REQUESTS_KEPT) requests = requests.slice(REQUESTS_KEPT / 2);
      requests.push(request);
    },
    all: () => requests,
  };
}
