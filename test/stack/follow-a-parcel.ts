// One run of a deployed template with two sample warehouses, one on the ordered topic and one on the bus. A parcel is
// delivered at the service, one of its line items is reviewed, then all are completed. The result is the content of each
// warehouse's table and the results of its workflows, with the same names in each run.
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { StepFunctionsEngine } from '../step-functions/step-functions-engine.ts';
import { comeDue, MINUTE_MS, TICKS, thisMinute } from './come-due.ts';
import { type Disorder, ONCE_IN_ORDER } from './deliveries.ts';
import { type Deployment, type DeployOptions, deploy } from './deployment.ts';
import { findParcel, type ParcelAtService } from './parcel-at-service.ts';
import { TOKEN_SECRET } from './synthesize-stack.ts';

export interface Followed {
  /** The problems during the run. */
  readonly failures: readonly string[];
  readonly onQueue: Outcome;
  readonly onBus: Outcome;
}

export interface Outcome {
  /** The number of line items that workflows waited for before the first review. */
  readonly waitedFor: number;
  /** The result of each workflow, by its name. */
  readonly workflows: Readonly<Record<string, unknown>>;
  /** The return's items in the table, by their parts. */
  readonly goods: Readonly<Record<string, unknown>>;
}

/** Placeholder in the template for the address of the service, which differs in each run. */
export const BASE_URL = 'http://127.0.0.1:9/api';

export interface FollowOptions extends Pick<DeployOptions, 'assembly' | 'engines' | 'template'> {
  /** @default each event once, in order */
  readonly disorder?: Disorder;
}

export async function followAParcel(options: FollowOptions): Promise<Followed> {
  const service = await createReferenceService({ groups: 40, seed: 2, life: false });
  try {
    return await followAt(service, options);
  } finally {
    await service.close();
  }
}

async function followAt(
  service: ReferenceService,
  { template, disorder, ...options }: FollowOptions,
): Promise<Followed> {
  const parcel = await findParcel(service.url);
  const deployment = await deploy({
    ...options,
    template: JSON.parse(JSON.stringify(template).replaceAll(BASE_URL, service.url)),
    secrets: new Map([[TOKEN_SECRET, service.token]]),
    deliveries: disorder ?? ONCE_IN_ORDER,
  });
  const minute = thisMinute();
  const tick = (number: number) => comeDue(deployment, TICKS, minute + number * MINUTE_MS);
  try {
    await tick(0);
    await parcel.deliver();
    await tick(1);
    const waitedFor = await countWaiting(deployment, parcel);
    await parcel.review();
    await tick(2);
    await parcel.complete();
    await tick(3);
    await disorder?.release();
    const outcome = async (name: WarehouseName) =>
      inWords(
        {
          waitedFor: waitedFor[name],
          workflows: await ends(deployment.stateMachineWith(name), parcel),
          goods: await goodsOf(deployment, name, parcel),
        },
        namesFor(parcel, deployment.archived as { detail: FeedEvent }[]),
      );
    const [onQueue, onBus] = [await outcome('QueueWarehouse'), await outcome('BusWarehouse')];
    return { failures: [...deployment.failures], onQueue, onBus };
  } finally {
    await deployment.stop();
  }
}

type WarehouseName = 'QueueWarehouse' | 'BusWarehouse';

/** If a workflow was started, waits until it waits for all line items. */
async function countWaiting(
  deployment: Deployment,
  { lineItems }: ParcelAtService,
): Promise<Record<WarehouseName, number>> {
  const count = async (name: WarehouseName) => {
    const engine = deployment.stateMachineWith(name);
    const due = engine.executions.names().length * lineItems.length;
    if (due === 0) return 0;
    await Promise.race([engine.untilWaiting(due), allEnds(engine), deployment.failed]);
    return engine.countWaiting();
  };
  return { QueueWarehouse: await count('QueueWarehouse'), BusWarehouse: await count('BusWarehouse') };
}

/** Waits for the workflow's end. If it still waits after all events are handled, lets its time limit pass. */
async function ends(engine: StepFunctionsEngine, { lineItems }: ParcelAtService) {
  const ended = allEnds(engine);
  const anyWaits = () => Promise.race(lineItems.map((_, place) => engine.untilWaiting(place + 1)));
  const isOver = ended.then(() => true);
  while (!(await Promise.race([isOver, anyWaits().then(() => false)]))) engine.passTime(TIME_LIMIT_SECONDS);
  return ended;
}

const TIME_LIMIT_SECONDS = 14 * 24 * 60 * 60;

async function allEnds({ executions }: StepFunctionsEngine): Promise<Record<string, unknown>> {
  const endOf = async (name: string) => [
    name,
    await executions.ended(name).catch((error: unknown) => `failed: ${String(error)}`),
  ];
  return Object.fromEntries(await Promise.all(executions.names().map(endOf)));
}

async function goodsOf(deployment: Deployment, name: WarehouseName, { group }: ParcelAtService) {
  const items = await deployment.itemsOf(name);
  // Returns that changed just before the feed's start are published as well.
  const ofReturn = items.filter((item) => item.return_group === `acme/${group}`);
  return Object.fromEntries(ofReturn.map((item) => [item.part, item]));
}

/** A name that differs in each run, and a constant name for it. */
type Name = readonly [inRun: string, inWords: string];

function namesFor({ group, parcel, lineItems }: ParcelAtService, archived: { detail: FeedEvent }[]): Name[] {
  const partitionkey = `acme/${group}`;
  const parts: Name[] = lineItems.map((id, place) => [`line_item/${id}`, `item ${place}`]);
  const wordsOf = ({ object }: FeedEvent['data']) => {
    const id = 'id' in object ? Number(object.id) : 0;
    const part = object.type === 'shipment' ? 'parcel' : `item ${lineItems.indexOf(id)}`;
    return `${part} ${'status' in object ? object.status : ''}`;
  };
  const events = archived.filter(({ detail }) => detail.partitionkey === partitionkey);
  return [
    ...events.flatMap(({ detail: { id, data } }): Name[] => {
      const position = `${data.generation.padStart(12, '0')}_${String(data.sequence).padStart(15, '0')}`;
      return [id, position].map((name) => [name, wordsOf(data)]);
    }),
    ...parts,
    [`parcel/${parcel}`, 'parcel'],
    [partitionkey, 'return'],
  ];
}

function inWords(outcome: Outcome, names: readonly Name[]): Outcome {
  const text = names.reduce(
    (text, [inRun, words]) => text.replaceAll(`"${inRun}"`, `"${words}"`),
    JSON.stringify(outcome),
  );
  return JSON.parse(text);
}
