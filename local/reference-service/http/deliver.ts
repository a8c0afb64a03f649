// Sends answers on sockets, or breaks the connection if an answer says so.

import type { ServerResponse } from 'node:http';
import type { Answer } from '../service/answer.ts';

export function createDelivery() {
  const delayed = new Set<NodeJS.Timeout>();
  return {
    deliver(answer: Answer, response: ServerResponse): void {
      if (answer.delivery === 'hang') return;
      if (answer.afterMs === 0) {
        send(answer, response);
        return;
      }
      const timer = setTimeout(() => {
        delayed.delete(timer);
        send(answer, response);
      }, answer.afterMs);
      delayed.add(timer);
    },
    /** Sends no more answers. */
    stop(): void {
      for (const timer of delayed) clearTimeout(timer);
    },
  };
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
  if (answer.delivery === 'whole') response.end(body);
  else response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket?.resetAndDestroy());
}
