// The console in a browser, on a running feed, for a test file: one world, a visit for each window that a test opens.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Console } from '../../local/console/console-server.ts';
import type { ReferenceService } from '../../local/reference-service/create-reference-service.ts';
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts';
import { lacksBrowser, openBrowser } from './open-browser.ts';
import { type Visit, visit } from './visit.ts';

export type ShownGroup = ReturnType<ReferenceService['control']['snapshot']>[number];

export interface Parcel {
  readonly group: number;
  readonly shipment: number;
  readonly trackingNumber: string;
}

export interface VisitedFeed {
  readonly world: ConsoleWorld;
  readonly browser: Browser;
  /** The console without `--act`. */
  readonly reading: Console;
  /** Opens a page; what it may not do fails the test at its end. */
  open(path?: string, console?: Pick<Console, 'url'>, longestMs?: number): Promise<Visit>;
  /** Groups that no other test changes. */
  someGroups(count: number, suits?: (group: ShownGroup) => boolean): ShownGroup[];
  /** Parcels in transit that the feed has read. */
  someParcels(count: number): Promise<Parcel[]>;
  aParcel(): Promise<Parcel>;
  setStatus(parcel: Pick<Parcel, 'group'>, status: string): void;
}

/** Call it once in a file. Without a browser nothing is opened, and the tests are skipped. */
export function visitedFeed(options: { readonly received?: number } = {}): VisitedFeed {
  let world: ConsoleWorld;
  let browser: Browser;
  let reading: Console;
  const visits: Visit[] = [];
  const taken = new Set<unknown>();

  beforeAll(async () => {
    if (lacksBrowser) return;
    [world, browser] = await Promise.all([openConsoleWorld({ groups: 80, ...options }), openBrowser()]);
    reading = await world.openConsole();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });
  afterEach(async () => {
    const ended = visits.splice(0);
    const problems = ended.flatMap((each) => each.problems);
    await Promise.all(ended.map((each) => each.close()));
    expect(problems).toEqual([]);
  });

  function someGroups(count: number, suits: (group: ShownGroup) => boolean = () => true): ShownGroup[] {
    const groups = world.service.control
      .snapshot()
      .filter((group) => !taken.has(group.id) && suits(group))
      .slice(0, count);
    expect(groups).toHaveLength(count);
    for (const { id } of groups) taken.add(id);
    return groups;
  }

  function setStatus({ group }: Pick<Parcel, 'group'>, status: string): void {
    world.service.control.mutate(group, ({ shipments }) => {
      if (shipments[0]) shipments[0].status = status;
    });
  }

  async function someParcels(count: number): Promise<Parcel[]> {
    const groups = someGroups(count, ({ shipments }) => shipments[0]?.tracking_number != null);
    const parcels = groups.map(({ id, shipments: [shipment] }) => ({
      group: Number(id),
      shipment: Number(shipment?.id),
      trackingNumber: String(shipment?.tracking_number),
    }));
    for (const parcel of parcels) setStatus(parcel, 'IN_TRANSIT');
    await world.tick();
    return parcels;
  }

  return {
    get world() {
      return world;
    },
    get browser() {
      return browser;
    },
    get reading() {
      return reading;
    },
    async open(path = '/', console = reading, longestMs) {
      const opened = await visit(browser, console, {}, longestMs);
      visits.push(opened);
      if (path !== '/') await opened.go(path);
      return opened;
    },
    someGroups,
    someParcels,
    async aParcel() {
      const [parcel] = (await someParcels(1)) as [Parcel];
      return parcel;
    },
    setStatus,
  };
}

/** The shipment's row in the return's table of entities. */
export const rowOf = ({ page }: Pick<Visit, 'page'>, { shipment }: Parcel, status: string) =>
  page
    .getByRole('region', { name: /Items/ })
    .getByRole('row', { name: `shipment ${shipment}` })
    .getByText(status, { exact: true });
