// docs/recipes.md shows the recipes unchanged. The stacks synthesize, the rules match, and the rows are written.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Stack } from 'aws-cdk-lib';
import * as stepfunctions from 'aws-cdk-lib/aws-stepfunctions';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { postToSlack, sendMail, startWorkflow, writeRows } from '../../docs/examples/recipes.ts';
import { runRecorded } from '../../functions/subscriber-kit/run-recorded.ts';
import { compileEventPattern } from '../engines/event-pattern.ts';
import { newValidatedApp } from '../infra/new-app.ts';
import { aFeed, aFunction } from '../infra/synthesize.ts';
import { resourceOf, resourcesOf, type Template } from '../infra/template.ts';
import { recordedLines } from '../shared/contract/committed-contracts.ts';
import { importExample } from './import-example.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

test.each(['recipes.ts', 'rows.ts'])('docs/recipes.md shows docs/examples/%s unchanged', (file) => {
  expect(read('docs/recipes.md')).toContain(`\`\`\`ts\n${read(`docs/examples/${file}`)}\`\`\``);
});

describe('the stack with all recipes', () => {
  let template: Template;

  beforeAll(() => {
    const app = newValidatedApp({ 'aws:cdk:bundling-stacks': [] });
    const stack = new Stack(app, 'Shop');
    const synthesis = aFeed({}, stack);
    const { feed } = synthesis;
    const machine = new stepfunctions.StateMachine(stack, 'Machine', {
      definitionBody: stepfunctions.DefinitionBody.fromChainable(new stepfunctions.Pass(stack, 'Pass')),
    });
    postToSlack(stack, feed);
    sendMail(stack, feed, 'returns@example.com');
    startWorkflow(feed, machine as stepfunctions.IStateMachine);
    writeRows(feed, aFunction(stack, 'Rows'));
    app.synth();
    template = synthesis.template();
  });

  it.each(['ToSlack', 'ToMail', 'ToWorkflow'])('has a rule %s on the delivered parcels', (id) => {
    const { EventPattern, Targets } = resourceOf(template, 'AWS::Events::Rule', id).Properties;
    const onBus = recordedLines().map((line) => {
      const detail = JSON.parse(line);
      return { source: 'returns-change-feed.acme', 'detail-type': detail.type, detail };
    });

    const matched = onBus.filter(compileEventPattern(EventPattern)).map(({ detail }) => detail.data.object);
    expect(matched).toEqual([expect.objectContaining({ id: 1001041, status: 'DELIVERED' })]);
    expect(Targets).toHaveLength(1);
  });

  it('posts a text to Slack, at an address that the template does not contain', () => {
    const destination = resourceOf(template, 'AWS::Events::ApiDestination', 'Slack').Properties;
    const [target] = resourceOf(template, 'AWS::Events::Rule', 'ToSlack').Properties.Targets;

    expect(destination.InvocationEndpoint).toBe('{{resolve:secretsmanager:slack/webhook:SecretString:::}}');
    expect(target.InputTransformer.InputTemplate).toMatch(/^\{"text":"Parcel <.+> has arrived\."\}$/);
    expect(target.DeadLetterConfig).toBeDefined();
  });

  it('mails, and starts the machine with the event', () => {
    const subscriptions = resourcesOf(template, 'AWS::SNS::Subscription').map(([, it]) => it.Properties);
    const [started] = resourceOf(template, 'AWS::Events::Rule', 'ToWorkflow').Properties.Targets;

    expect(subscriptions).toContainEqual(
      expect.objectContaining({ Protocol: 'email', Endpoint: 'returns@example.com' }),
    );
    expect(started.InputPath).toBe('$.detail');
  });
});

test('the rows of a delivered parcel are written once, also if its event is repeated', async () => {
  const { rowsInto } = await importExample<typeof import('../../docs/examples/rows.ts')>('rows.ts');
  const database = new DatabaseSync(':memory:');
  database.exec(read('docs/recipes.md').match(/```sql\n(.*?)```/s)?.[1] ?? '');
  const query = async (text: string, values: unknown[]) =>
    database.prepare(text.replaceAll(/\$\d/g, '?')).run(...(values as string[]));

  for (let time = 0; time < 2; time += 1) {
    const { failed } = await runRecorded(rowsInto(query), recordedLines());
    expect(failed).toEqual([]);
  }

  const rows = database.prepare('SELECT parcel, sku, quantity FROM arrivals ORDER BY item').all();
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { parcel: 1001041, sku: 'LSH-OLI-S', quantity: 1 },
    { parcel: 1001041, sku: 'TRN-RUS-M', quantity: 1 },
  ]);
  database.close();
});
