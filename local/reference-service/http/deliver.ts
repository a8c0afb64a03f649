// Sends an answer on a socket, or breaks the connection if the answer says so.

import type { ServerResponse } from 'node:http';
import type { Answer } from '../service/answer.ts';

/** Timers of delayed answers, cleared when the server closes. */
export type Timers = Set<NodeJS.Timeout>;

export function deliver(answer: Answer, response: ServerResponse, timers: Timers): void {
  if (answer.delivery === 'hang') return;
  if (answer.afterMs === 0) {
    send(answer, response);
    return;
  }
  const timer = setTimeout(() => {
    timers.delete(timer);
    send(answer, response);
  }, answer.afterMs);
  timers.add(timer);
}

function send(answer: Answer, response: ServerResponse): void {
  const { socket } = response;
  if (answer.delivery === 'reset') {
    socket?.resetAndDestroy();
    return;
  }
  const body = Buffer.from(answer.body);
  // The answer has its own Date, skewed or missing: Node must not add another.
  response.sendDate = false;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  if (answer.delivery === 'whole') {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket?.resetAndDestroy());
}
