// A deployment's life by its templates: deployed, updated, destroyed, deployed again. What CloudFormation does at each
// step follows from logical ids, names and deletion policies, and no emulator minds these as it does.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { STAGES, type Stage } from '../../infra/stages.ts';
import {
  harmOfUpdate,
  type KnownResources,
  knownResources,
  synthesizeStage,
  type TemplateText,
} from './known-resources.ts';
import { newUnbundledApp } from './synthesize.ts';

const { production, trial } = STAGES;
const templates = {
  production: synthesizeStage(production, newUnbundledApp()),
  trial: synthesizeStage({ ...trial, alarmEmail: 'ops@example.com' }, newUnbundledApp()),
};

/** CDK writes a policy for types that may hold data; without one CloudFormation deletes. */
function retained(stage: ReadonlyMap<string, TemplateText>) {
  return [...stage.values()]
    .flatMap(({ Resources }) => Object.entries(Resources))
    .filter(([, it]) =>
      [it.DeletionPolicy, it.UpdateReplacePolicy].some(
        (policy) => policy !== undefined && policy !== 'Delete',
      ),
    );
}

describe('a stack that is destroyed, or whose first deployment fails,', () => {
  test('leaves nothing behind where it was a trial', () => {
    expect(retained(templates.trial).map(([id]) => id)).toEqual([]);
  });

  test('leaves its tables where it was production, and nothing else', () => {
    const types = retained(templates.production).map(([, { Type }]) => Type);

    expect(types).toEqual(Array(4).fill('AWS::DynamoDB::Table'));
  });

  test('can be deployed anew: what it leaves has no name that the next would want', () => {
    const known = knownResources(templates.production).ReturnsFeed ?? {};

    const names = retained(templates.production).map(([id]) => known[id]?.fixed.TableName);
    expect(names).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('is deleted whole: of a trial nothing is protected from it', () => {
    const tables = [...templates.trial.values()]
      .flatMap(({ Resources }) => Object.values(Resources))
      .filter(({ Type }) => Type === 'AWS::DynamoDB::Table');

    expect(tables).toHaveLength(5);
    for (const { Properties } of tables)
      expect(Properties).toMatchObject({ DeletionProtectionEnabled: false });
  });
});

describe.each(Object.entries(templates))('an update of the stage %s', (name, now) => {
  const deployed: KnownResources = JSON.parse(
    readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'),
  );

  test('from the deployed release keeps every table, queue, bus and archive, and finds no name taken', () => {
    expect(harmOfUpdate(deployed, knownResources(now))).toEqual([]);
  });
});

describe('a change of the sources', () => {
  const known = (names: readonly string[]) => {
    const [source] = production.sources;
    const sources = names.map((name) => ({ ...source, name })) as Stage['sources'];
    return knownResources(synthesizeStage({ ...production, sources }, newUnbundledApp()));
  };
  const ids = (resources: KnownResources) => Object.keys(resources.ReturnsFeed ?? {});
  const [both, acme, renamed] = [known(['acme', 'globex']), known(['acme']), known(['acme', 'initech'])];

  test('that removes one takes what is its own, and nothing else', () => {
    expect(harmOfUpdate(both, acme)).toEqual([]);
    const removed = ids(both).filter((id) => !ids(acme).includes(id));
    expect(removed).toHaveLength(3);
    for (const id of removed) expect(id).toMatch(/(Source|Schedule|Freshness)globex/);
  });

  test('that renames one is the removal of one and the addition of another', () => {
    expect(harmOfUpdate(both, renamed)).toEqual([]);
    const added = ids(renamed).filter((id) => !ids(both).includes(id));
    expect(added).toHaveLength(3);
    for (const id of added) expect(id).toMatch(/(Source|Schedule|Freshness)initech/);
  });

  test('of their order changes nothing', () => {
    expect(known(['globex', 'acme'])).toEqual(both);
  });
});

describe('harm is found', () => {
  const queue = { type: 'AWS::SQS::Queue', fixed: { FifoQueue: true } };
  const bus = { type: 'AWS::Events::EventBus', fixed: { Name: 'feed' } };

  test.each<[string, KnownResources, string]>([
    ['a queue under another logical id', { Feed: { Other: queue, Bus: bus } }, 'would be deleted'],
    ['a queue of another kind', { Feed: { Queue: { ...queue, fixed: {} }, Bus: bus } }, 'would be replaced'],
    [
      'a bus of another name',
      { Feed: { Queue: queue, Bus: { ...bus, fixed: { Name: 'x' } } } },
      'would be replaced',
    ],
    ['a name that moves to another id', { Feed: { Queue: queue, Bus: bus, New: bus } }, "New can't be made"],
    ['a stack of another name', { Other: { Queue: queue, Bus: bus } }, 'would be deleted'],
  ])('in %s', (_, after, harm) => {
    const found = harmOfUpdate({ Feed: { Queue: queue, Bus: bus } }, after);

    expect(found.join()).toContain(harm);
  });

  test('in nothing where nothing changes', () => {
    const same = { Feed: { Queue: queue, Bus: bus } };

    expect(harmOfUpdate(same, same)).toEqual([]);
  });
});
