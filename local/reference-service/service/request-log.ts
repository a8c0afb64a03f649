import type { Instant } from '../../../shared/instant.ts';
import type { FaultKind } from './fault-kinds.ts';

export interface LoggedRequest {
  /** When it was received. */
  readonly at: Instant;
  readonly path: string;
  /** Without its `?`. */
  readonly query: string;
  /** The answer's status; 200 for an answer that was never sent. */
  readonly status: number;
  readonly rows: number;
  readonly fault?: FaultKind;
}

export interface RequestLog {
  add(request: LoggedRequest): void;
  all(): readonly LoggedRequest[];
}

/** Enough for hours of testing; above it the older half is dropped. */
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
