// Operators search at the service through the stack's poller, with the permissions that SECURITY.md lists and no token.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import { QUESTIONS_ALIAS } from '../../shared/deployment/questions-alias.ts';
import { type Ended, runFeed } from '../local/cli/run-feed.ts';
import type { OperatorStatement } from '../runbook/read-operators.ts';
import { comeDue, TICKS, thisMinute } from './come-due.ts';
import type { Deployment } from './deployment.ts';
import { type OperatedStack, operateStack, STACK } from './operated-stack.ts';
import { startEngines } from './start-engines.ts';
import { synthesizeStack, TOKEN_SECRET } from './synthesize-stack.ts';

const PATIENCE_MS = 120_000;

let service: ReferenceService;
let deployment: Deployment;
let stack: OperatedStack;
let explainRights: readonly OperatorStatement[];
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  service = await createReferenceService({ groups: 60, life: false });
  ends.push(service.close);
  const engines = await startEngines(ends);
  const assembly = synthesizeStack(service.url, () => {});
  const secrets = new Map([[TOKEN_SECRET, service.token]]);
  stack = await operateStack({ assembly, template: assembly.template, engines, secrets }, ends);
  deployment = stack.deployment;
  explainRights = stack.rightsOf('explain');
  await comeDue(deployment, TICKS, thisMinute());
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function explain(rights: readonly OperatorStatement[], ...words: string[]): Promise<Ended> {
  stack.operator.allow(rights);
  return runFeed(['explain', ...words, '--stack', STACK], { environment: stack.environment });
}

const invoke = (find: object) => deployment.functionWith('Poller').invoke({ find }, QUESTIONS_ALIAS);

function aParcel() {
  const group = service.control.snapshot().find(({ shipments }) => shipments[0]?.tracking_number != null);
  return { group: Number(group?.id), tracking: String(group?.shipments[0]?.tracking_number) };
}

test(
  'explain finds a return by its tracking number through the poller, with only the listed permissions',
  async () => {
    const { group, tracking } = aParcel();
    service.control.mutate(group, (draft) => {
      draft.order.name = '#10 "42"';
    });

    const byTracking = await explain(explainRights, '--tracking', tracking);
    const byOrder = await explain(explainRights, 'acme', '#10 "42"');

    expect(byTracking).toMatchObject({ code: 0, stderr: '' });
    expect(byTracking.stdout).toMatch(new RegExp(`^return group ${group} of source acme`));
    expect(byOrder).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`group ${group} of`),
    });
    expect(deployment.failures).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'without permission to invoke the poller, the error names the missing permission',
  async () => {
    const without = explainRights.filter(({ Action }) => !Action.includes('lambda:InvokeFunction'));

    const refused = await explain(without, '--tracking', 'NOT-STORED-1');

    expect(without.length).toBeLessThan(explainRights.length);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: [^\n]*not authorized to perform: lambda:InvokeFunction on resource: [^\n]*\n$/,
    );
  },
  PATIENCE_MS,
);

test('the poller answers a search with only ids, and does not log the search text', async () => {
  const { group, tracking } = aParcel();

  const found = await invoke({ source: 'acme', tracking_code: tracking });

  expect(found).toEqual({ found: { exact: [group], similar: [], isWhole: true } });
  expect(deployment.functionWith('Poller').lines.join('\n')).not.toContain(tracking);
});

test('the present answer of a group contains only fields of the allowlist, and no customer data', async () => {
  const { group } = aParcel();

  const answered = await invoke({ source: 'acme', group });

  const shown = service.control.snapshot().find(({ id }) => id === group);
  const { customer } = shown as unknown as {
    readonly customer: { readonly name: string; readonly email: string };
  };
  const text = JSON.stringify(answered);
  expect(answered).toMatchObject({ present: { kind: 'shown', projection: { group: { id: group } } } });
  for (const secret of [customer.name, customer.email, service.token]) expect(text).not.toContain(secret);
  expect(await invoke({ source: 'acme', group: 1 })).toMatchObject({ present: { kind: 'absent' } });
});

test('requests of operators do not change the state that ticks use', async () => {
  const stateOf = async () => (await deployment.itemsOf('Sources')).find(({ k }) => k === 'source/acme');
  const before = await stateOf();

  await invoke({ source: 'acme', order_name: '#none' });
  await invoke({ source: 'acme', group: aParcel().group });

  expect(await stateOf()).toEqual(before);
});

test.each([
  ['a source that does not exist', { source: 'gone', group: 1 }, 'There is no source "gone"'],
  ['an empty text', { source: 'acme', order_name: '' }, 'The question is not valid'],
  ['an e-mail address', { source: 'acme', email: 'a@example.com' }, 'The question is not valid'],
  ['two searches', { source: 'acme', order_name: '#1', group: 1 }, 'The question is not valid'],
])('a request with %s is answered with an error, and does not fail the poller', async (_, find, message) => {
  expect(await invoke(find)).toEqual({ error: expect.stringContaining(message) });
});

test('the poller rejects a tick that is sent to the alias of operators', async () => {
  const tick = { source: 'acme', slot: Date.now() + 60_000 };
  const before = service.control.requests().length;

  const answered = await deployment
    .functionWith('Poller')
    .invoke({ Records: [{ body: JSON.stringify(tick) }] }, QUESTIONS_ALIAS);

  expect(answered).toEqual({ error: expect.stringContaining('The question is not valid') });
  expect(service.control.requests()).toHaveLength(before);
});
