import type { Answer, ServiceRequest } from '../../local/reference-service/service/answer.ts';
import type { SourceWorld } from '../shared/source-world.ts';

type Row = Record<string, any>;

/** Every readable list passes here before it is sent. */
export function alterRows(world: SourceWorld, alter: (row: Row, request: ServiceRequest) => void): void {
  world.network.intercept = (request): Answer => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200 || request.path !== '/v2/return-groups') return answer;
    const rows = JSON.parse(answer.body) as Row[];
    for (const row of rows) alter(row, request);
    return { ...answer, body: JSON.stringify(rows) };
  };
}

export async function ticks(world: SourceWorld, session: ReturnType<SourceWorld['startProcess']>, count: number) {
  for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
}
