// A service that answers some groups' carriers in another way, as after a faulty upgrade. No stamp moves.
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld, type SourceWorld, type SourceWorldOptions } from '../source-world.ts';

interface Row {
  readonly id: number;
  shipments?: { readonly id: number; carrier: string | null; tracking_number: string | null }[];
}

export interface CarrierWorld {
  readonly world: SourceWorld;
  readonly session: SourceSession;
  /** The groups with shipments that it answers otherwise. */
  readonly faulty: readonly number[];
  /** Answers carriers with this name; undefined answers them as they are. */
  answer(carrier: string | undefined): void;
  /** Changes each row of an answer, after the carriers. */
  alterRows(alter: ((row: Row) => void) | undefined): void;
  ticks(count: number): Promise<void>;
  /** The groups with an event that shows this text. */
  published(text: string): Promise<readonly number[]>;
}

/** A source after several whole walks. @param count the number of groups that it answers otherwise */
export async function carrierWorld(
  count: number,
  { settings, ...options }: SourceWorldOptions = {},
): Promise<CarrierWorld> {
  const world = createSourceWorld({
    groups: 60,
    settings: { reconcileMs: 600_000, ...settings },
    ...options,
  });
  const session = world.startProcess('a');
  const ticks = async (number: number) => {
    for (let tick = 0; tick < number; tick += 1) await world.nextTick(session);
  };
  await world.tick(session);
  await ticks(32);
  const shipped = world.control.snapshot().filter(({ shipments }) => shipments.length > 0);
  const faulty = shipped.slice(0, count).map(({ id }) => Number(id));
  let carrier: string | undefined;
  let alter: ((row: Row) => void) | undefined;
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request) as Answer & { readonly body: string };
    if (answer.delivery !== 'whole' || answer.status !== 200) return answer;
    const rows: Row[] = JSON.parse(answer.body);
    for (const row of rows) {
      if (carrier !== undefined && faulty.includes(row.id))
        for (const shipment of row.shipments ?? []) shipment.carrier = carrier;
      alter?.(row);
    }
    return { ...answer, body: JSON.stringify(rows) };
  };
  return {
    world,
    session,
    faulty,
    answer(next) {
      carrier = next;
    },
    alterRows(next) {
      alter = next;
    },
    ticks,
    async published(text) {
      const events = await world.events();
      const shown = events.filter(({ data }) => JSON.stringify(data.object).includes(text));
      return [...new Set(shown.map(({ partitionkey }) => Number(partitionkey?.split('/')[1])))];
    },
  };
}

/** Changes the tracking numbers of a group. */
export function track({ world }: CarrierWorld, groupId: number, number: string): void {
  world.control.mutate(groupId, (draft) => {
    for (const shipment of draft.shipments) shipment.tracking_number = number;
  });
}
