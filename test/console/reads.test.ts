// Checks the table of reads in docs/console.md against the tables' own counts.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage, PageRequest } from '../../local/console/console-server.ts';
import { createLivePage } from '../../local/console/live-page.ts';
import { createOverviewPage } from '../../local/console/overview-page.ts';
import { createReturnPage } from '../../local/console/return-page.ts';
import { createStuckPage } from '../../local/console/stuck-page.ts';
import { type ConsoleScene, openConsoleScene, SCENE_GROUP } from './console-scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await openConsoleScene();
});
afterAll(() => scene.close());

const REQUEST: PageRequest = { params: { source: 'acme', group: String(SCENE_GROUP) }, fields: {} };
/** Matches name, seconds between two rounds, requests a minute, read units a minute. */
const ROW = /^\| ([A-Z][\w ]+?) +\| ([\d.]+) s +\| (\d+) +\| (\d+) +\|$/gm;

/** The reads of one round of an open page. The first round reads more, so it does not count. */
async function costOfRound({ render, updates }: ConsolePage): Promise<ConsoleScene['reads']> {
  const round = updates?.follow?.(REQUEST, '') ?? (() => render(REQUEST));
  await round();
  const before = { ...scene.reads };
  await round();
  return { requests: scene.reads.requests - before.requests, units: scene.reads.units - before.units };
}

describe('an open page', () => {
  it('reads as much in a minute as docs/console.md says, at most', async () => {
    const document = await readFile(new URL('../../docs/console.md', import.meta.url), 'utf8');
    const documented = [...document.matchAll(ROW)].map(([, name, seconds, requests, units]) => ({
      name,
      seconds: Number(seconds),
      requests: Number(requests),
      units: Number(units),
    }));
    const pages = {
      Overview: createOverviewPage(scene.feed),
      'A return': createReturnPage(scene.feed),
      Live: createLivePage(scene.feed),
      Stuck: createStuckPage(scene.feed),
    };

    const measured = [];
    for (const [name, page] of Object.entries(pages)) {
      const seconds = (page.updates?.everyMs ?? 0) / 1_000;
      const { requests, units } = await costOfRound(page);
      const rounds = 60 / seconds;
      measured.push({ name, seconds, requests: requests * rounds, units: Math.ceil(units * rounds) });
    }

    expect(documented).toEqual(measured);
  });
});
