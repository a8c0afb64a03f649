// The lifecycle of a deployment by its templates: deploy, update, destroy, deploy again. CloudFormation decides each step
// by logical ids, names and deletion policies, and no emulator treats these in the same way.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
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

/** CDK sets a deletion policy for types that may contain data. CloudFormation deletes resources without one. */
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
  test('leaves nothing behind in the trial stage', () => {
    expect(retained(templates.trial).map(([id]) => id)).toEqual([]);
  });

  test('leaves only its tables behind in the production stage', () => {
    const types = retained(templates.production).map(([, { Type }]) => Type);

    expect(types).toEqual(Array(4).fill('AWS::DynamoDB::Table'));
  });

  test('can be deployed again: what it leaves behind does not block a name', () => {
    const known = knownResources(templates.production).ReturnsFeed ?? {};

    const names = retained(templates.production).map(([id]) => known[id]?.fixed.TableName);
    expect(names).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('is deleted completely: nothing of a trial is protected', () => {
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

  test('from the deployed release keeps every table, queue, topic, bus and archive, and needs no name in use', () => {
    expect(harmOfUpdate(deployed, knownResources(now))).toEqual([]);
  });
});

function withSources(names: readonly string[]): KnownResources {
  const [source] = production.sources;
  const sources = names.map((name) => ({ ...source, name, requestsPerMinute: 80 })) as Stage['sources'];
  return knownResources(synthesizeStage({ ...production, sources }, newUnbundledApp()));
}

function withWebhooks(names: readonly string[]): KnownResources {
  const app = newUnbundledApp();
  const { feed } = new ReturnsFeedStack(app, production);
  for (const name of names) feed.addWebhook(name, { url: `https://${name}.example.com` });
  const template = app.synth().getStackByName(production.stackName).template as TemplateText;
  return knownResources(new Map([[production.stackName, template]]));
}

describe.each([
  { kind: 'sources', known: withSources, names: ['acme', 'globex', 'initech'], lost: /^$/, losses: 0 },
  {
    ...{ kind: 'webhooks', known: withWebhooks, names: ['Wms', 'Erp', 'Sap'], losses: 3 },
    lost: /WebhooksErp(Queue|Undelivered|Secret)\w+ .* would be deleted/,
  },
])('a change of the $kind', ({ known, names: [first = '', second = '', third = ''], lost, losses }) => {
  const [both, one, renamed] = [known([first, second]), known([first]), known([first, third])];
  const ids = (resources: KnownResources) => Object.keys(resources[production.stackName] ?? {});
  const addedTo = (before: KnownResources, after: KnownResources) =>
    ids(after).filter((id) => !ids(before).includes(id));

  test('that adds or removes one changes only its own resources', () => {
    const harm = harmOfUpdate(both, one);

    expect(harmOfUpdate(one, both)).toEqual([]);
    expect(harm).toHaveLength(losses);
    for (const it of harm) expect(it).toMatch(lost);
    expect(addedTo(one, both).length).toBeGreaterThan(1);
    for (const id of addedTo(one, both)) expect(id).toContain(second);
    expect(addedTo(both, one)).toEqual([]);
  });

  test('that renames one needs no name that is still in use', () => {
    expect(harmOfUpdate(both, renamed).filter((it) => it.includes("can't be created"))).toEqual([]);
    for (const id of addedTo(both, renamed)) expect(id).toContain(third);
  });

  test('that only reorders them changes nothing', () => {
    const reordered = known([second, first]);

    expect(harmOfUpdate(reordered, both)).toEqual([]);
    expect(ids(reordered).toSorted()).toEqual(ids(both).toSorted());
  });
});

describe('the check of an update reports', () => {
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
    [
      'a name that moves to another id',
      { Feed: { Queue: queue, Bus: bus, New: bus } },
      "New can't be created",
    ],
    ['a stack of another name', { Other: { Queue: queue, Bus: bus } }, 'would be deleted'],
  ])('in %s', (_, after, harm) => {
    const found = harmOfUpdate({ Feed: { Queue: queue, Bus: bus } }, after);

    expect(found.join()).toContain(harm);
  });

  test('nothing without a change', () => {
    const same = { Feed: { Queue: queue, Bus: bus } };

    expect(harmOfUpdate(same, same)).toEqual([]);
  });
});
