// Runs the commands of the runbook and of SECURITY.md on a deployment, with its stack's outputs, and with exactly the
// permissions that SECURITY.md lists.

import { readFileSync } from 'node:fs';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDynamoDbActivities, type RecentGroup } from '../../functions/adapters/dynamodb-activities.ts';
import { createDynamoDbReaders } from '../../functions/adapters/dynamodb-readers.ts';
import { createDynamoDbSourceDirectory } from '../../functions/adapters/dynamodb-source-directory.ts';
import { toLedgerItem } from '../../functions/adapters/ledger-item.ts';
import { ReturnsFeedStack } from '../../infra/returns-feed-stack.ts';
import { STAGES } from '../../infra/stages.ts';
import { openReadConsole, type ReadConsole } from '../console/read-console.ts';
import { hastyClock } from '../contract/stores.ts';
import { allows, type Permission } from '../infra/edges/policies.ts';
import { REGION } from '../infra/edges/read-account.ts';
import { newApp } from '../infra/new-app.ts';
import { idOf } from '../infra/template.ts';
import { type Ended, runFeed } from '../local/cli/run-feed.ts';
import { anEvent } from '../shared/publishing/an-event.ts';
import { runAws } from './aws-command.ts';
import { type DeployedFeed, type DeployedTemplate, deployFeed } from './deployed-feed.ts';
import { fillIn, readCommands } from './read-commands.ts';
import { type OperatorStatement, type Operators, readOperators } from './read-operators.ts';
import { resourcesCalled } from './resources-called.ts';
import { createSituations, type Situations } from './situations.ts';
import { type ButtonName, NAMES_OF_BUTTONS, press, readPages } from './use-console.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const PAGES = ['docs/runbook.md', 'SECURITY.md'];
/** Commands that the pages mention without writing them out. */
const NAMED = [
  'npx --no returns-feed release --source <source> --hold <hold> --stack <stack>',
  'npx --no returns-feed sources list --stack <stack>',
  'npx --no returns-feed sources add <source> --base-url <url> --token-file - --no-try --stack <stack>',
  'npx --no returns-feed sources set <source> --every 5m --stack <stack>',
  'npx --no returns-feed sources rotate-token <source> --token-file - --no-try --stack <stack>',
  'npx --no returns-feed sources pause <source> --stack <stack>',
  'npx --no returns-feed sources resume <source> --stack <stack>',
  'npx --no returns-feed sources remove <source> --stack <stack>',
  'npx --no returns-feed explain --tracking <tracking> --stack <stack>',
  'npx --no returns-feed explain <text> --stack <stack>',
  'npx --no returns-feed export <source> --stack <stack>',
  'npx --no returns-feed redrive <source> <group> --to <webhook> --stack <stack>',
  'npx --no returns-feed replay <source> --to <webhook> --stack <stack>',
  'npx --no returns-feed readers add <reader> --stack <stack>',
  'npx --no returns-feed readers rotate <reader> --stack <stack>',
  'npx --no returns-feed readers list --stack <stack>',
  'npx --no returns-feed readers remove <reader> --stack <stack>',
  'npx --no returns-feed move --data <directory> --webhook <address>=<webhook> --stack <stack>',
  'npx --no returns-feed webhooks list --stack <stack>',
  'npx --no returns-feed webhooks pause <webhook> --stack <stack>',
  'npx --no returns-feed webhooks resume <webhook> --stack <stack>',
  'npx --no returns-feed webhooks test <webhook> --stack <stack>',
  'npx --no returns-feed webhooks secret <webhook> --stack <stack>',
  'npx --no returns-feed webhooks rotate <webhook> --stack <stack>',
];

const commands = new Set([
  ...PAGES.flatMap((page) =>
    readCommands(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')).map(({ text }) => text),
  ),
  ...NAMED,
]);
/** The permissions that each command requested. */
const asked = new Map<string, readonly Permission[]>();

const { stackName } = STAGES.production;
let feed: DeployedFeed;
let situations: Situations;
let operators: Operators;

beforeAll(async () => {
  const app = newApp({ 'aws:cdk:bundling-stacks': [] });
  const { feed: construct } = new ReturnsFeedStack(app, {
    ...STAGES.production,
    addSources: true,
    pull: true,
  });
  construct.addOrderedQueue('Erp');
  construct.addWebhook('Wms', { url: 'https://wms.example.com/hooks/returns' });
  const template: DeployedTemplate = app.synth().getStackByName(stackName).template;
  feed = await deployFeed(stackName, template);
  operators = readOperators((name) => resourcesCalled(name, feed));
  situations = await createSituations(
    stackName,
    (recent) => saveActivity(recent),
    feed.outputs.FeedName ?? '',
    addEntry,
    feed.stores,
    async (key, sequence, trackingNumber) => {
      const Item = toLedgerItem(key, anEvent(key, sequence, trackingNumber));
      await feed.tablesClient.send(new PutItemCommand({ TableName: feed.outputs.LedgerTable, Item }));
    },
    feed.forgetRotations,
  );
  await addReaders();
});
afterAll(() => feed?.close());

/** Readers of the pull feed that have asked: from the beginning, and from an offset. */
async function addReaders(): Promise<void> {
  const { tablesClient: client, outputs } = feed;
  const tables = { sources: outputs.SourcesTable ?? '' };
  const readers = createDynamoDbReaders({ client, tables, clock: hastyClock });
  const reader = { filter: {}, tokens: [], readAt: 1 };
  await readers.add('begun', reader);
  await readers.add('going-on', { ...reader, lastOffset: `before-a-restore_${'1'.padStart(16, '0')}` });
}

function saveActivity(recent: RecentGroup): Promise<void> {
  const tables = { sources: feed.outputs.SourcesTable ?? '' };
  const activities = createDynamoDbActivities({ client: feed.tablesClient, tables });
  return activities.save('acme', { minutes: [], recent: [recent] });
}

/** Adds an entry, unless it is there; paused or not, as commands left it. */
async function addEntry(name: string): Promise<void> {
  const { tablesClient: client, outputs } = feed;
  const tables = { sources: outputs.SourcesTable ?? '' };
  const directory = createDynamoDbSourceDirectory({ client, tables, clock: hastyClock });
  const settings = { name, baseUrl: 'https://globex.example.com/api' };
  const given = { settings, token: { secretId: 'globex' } };
  await directory.save({ name, declaredBy: 'command', isPaused: false, given }, 0);
}

test.each([...commands])('%s', async (command) => {
  const ended = await run(command, operators.statementsFor(wordsOf(command)), (permissions) =>
    asked.set(command, permissions),
  );

  console.log(`${ended.code}  ${command}\n   ${firstLine(ended)}`);
  // 3: the command succeeded, and something needs attention.
  expect(ended).toMatchObject({ code: /status|replay/.test(command) ? expect.toBeOneOf([0, 3]) : 0 });
});

const CONSOLE = 'npx --no returns-feed console --stack <stack>';
const ACTING_CONSOLE = 'npx --no returns-feed console --act --stack <stack>';

/** Opens the console for a person with only these permissions. */
async function withConsole<Result>(
  policy: readonly OperatorStatement[],
  work: (console: ReadConsole, permissions: readonly Permission[]) => Promise<Result>,
): Promise<Result> {
  const environment = operatorEnvironment();
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const permissions = feed.endpoint.allow(policy);
  try {
    const console = await openReadConsole({ stack: stackName, acts: true });
    return await work(console, permissions).finally(console.close);
  } finally {
    vi.unstubAllEnvs();
  }
}

test('the console shows every page with exactly the listed permissions', async () => {
  const listed = operators.statementsFor(wordsOf(CONSOLE));
  const values = await situations.before(CONSOLE);

  const pages = await withConsole(listed, async (console, permissions) => {
    asked.set(CONSOLE, permissions);
    return readPages(console, values);
  });

  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  expect(pages.map(({ text }) => text).join('\n')).not.toMatch(
    /not authorized|can't be shown|failed searches/,
  );
  expect(pages[0]?.text).toMatch(/subscriber \S*Erp\S* (✓ all sent 0 events –|… sending \d+ events? 90 s) 0/);
});

test('each button of the console works with exactly the listed permissions', async () => {
  const listed = operators.statementsFor(wordsOf(ACTING_CONSOLE));

  const texts = await withConsole(listed, async (console, permissions) => {
    asked.set(ACTING_CONSOLE, permissions);
    return Promise.all(NAMES_OF_BUTTONS.map(async (name) => (await press(console, situations, name)).text));
  });

  expect(texts).toEqual([
    expect.stringMatching(/Hold 7 of source shop-\d+ is over/),
    expect.stringMatching(/bus: return \d+: all events are sent/),
    expect.stringMatching(/ordered: return \d+: all events are sent/),
    expect.stringMatching(/Wms: return \d+: its sender tries again/),
    expect.stringMatching(/ordered: return \d+: skipped 2; all events are sent/),
    expect.stringMatching(/Webhook Wms is resumed/),
  ]);
});

test('a page of the console names each missing permission, and shows the rest', async () => {
  const listed = operators.statementsFor(wordsOf(CONSOLE));
  const values = await situations.before(CONSOLE);
  const needed = new Map((asked.get(CONSOLE) ?? []).map((it) => [`${it.action} on ${it.resource}`, it]));

  for (const [name, permission] of needed) {
    const { action } = permission;
    if (action === 'cloudformation:DescribeStacks') continue;
    const without = listed.map((it) => (allows([it], permission) ? withdraw(it, action) : it));
    const refused = new RegExp(`is not authorized to perform: ${action} on resource: `);

    const pages = await withConsole(without, (console) => readPages(console, values, refused));

    expect({ name, text: pages.at(-1)?.text }).toEqual({ name, text: expect.stringMatching(refused) });
    expect({ name, failed: pages.filter(({ status }) => status === 500) }).toEqual({ name, failed: [] });
  }
  expect(needed.size).toBeGreaterThan(15);
  // Before it prints an address.
  const nothing = withConsole([], async () => {});
  await expect(nothing).rejects.toThrow(/is not authorized to perform: cloudformation:DescribeStacks/);
});

test.each<[ButtonName, string]>([
  ['release', 'dynamodb:PutItem'],
  ['redrive to the bus', 'events:PutEvents'],
  ['redrive to the ordered subscribers', 'sns:Publish'],
  ['redrive to a webhook', 'sqs:SendMessage'],
  ['skip', 'dynamodb:PutItem'],
  ['skip', 'dynamodb:UpdateItem'],
  ['resume', 'dynamodb:PutItem'],
])('the button "%s" names the missing permission: %s', async (name, action) => {
  const without = operators.statementsFor(wordsOf(ACTING_CONSOLE)).map((it) => withdraw(it, action));

  const { text, status } = await withConsole(without, (console) => press(console, situations, name));

  expect(text).toContain(`not authorized to perform: ${action} on resource: `);
  expect(status).not.toBe(500);
});

test('SECURITY.md lists no action that no command needs', () => {
  const isNeeded = (action: string, resource: string) =>
    [...asked].some(([command, permissions]) => {
      const listed = operators.statementsFor(wordsOf(command));
      const without = listed.map((it) => withdraw(it, action, resource));
      return permissions.some((it) => allows(listed, it) && !allows(without, it));
    });

  const superfluous = operators.statements.flatMap(({ Action, Resource }) =>
    Action.flatMap((action) =>
      Resource.filter((resource) => !isNeeded(action, resource)).map((it) => `${action} on ${it}`),
    ),
  );
  expect(superfluous).toEqual([]);
});

test('a command without its last permission fails, and reports the permission', async () => {
  const kinds = new Map(
    [...asked]
      // The console does not end; the tests above cover it.
      .filter(([command]) => ![CONSOLE, ACTING_CONSOLE].includes(command))
      .map(([command, permissions]) => [command.split(/ [-<]/)[0], { command, permissions }]),
  );
  for (const { command, permissions } of kinds.values()) {
    // Without DescribeTable, `status` still succeeds: it only can't report whether the tables were restored.
    const { action } = permissions.findLast((it) => it.action !== 'dynamodb:DescribeTable')!;
    const without = operators.statementsFor(wordsOf(command)).map((it) => withdraw(it, action));

    const ended = await run(command, without);

    console.log(`${ended.code}  without ${action}: ${command}\n   ${firstLine(ended)}`);
    expect({ command, ...ended }).toMatchObject({ command, code: expect.toBeOneOf([1, 3, 254]) });
    expect(ended.stdout + ended.stderr).toMatch(/not authorized to perform/);
  }
  expect(kinds.size).toBeGreaterThan(10);
});

async function run(
  command: string,
  policy: readonly OperatorStatement[],
  onAsked: (permissions: readonly Permission[]) => void = () => {},
): Promise<Ended> {
  const values = await situations.before(command);
  let times = 0;
  const words = fillIn(command, (name) => {
    const value = feed.outputs[name] ?? values[name] ?? deadLetters()[name] ?? partsOfWebhook()[name];
    if (value === undefined)
      throw new Error(`${command}: <${name}> is neither an output nor another known name.`);
    return typeof value === 'string' ? value : (value[times++] ?? '');
  });
  const permissions = feed.endpoint.allow(policy);
  const ended =
    words[0] === 'aws'
      ? await runAws(words, { endpoint: feed.endpoint.url, region: REGION, credentials: OPERATOR })
      : await runFeed([...words.slice(WORDS_BEFORE.length), ...(asks(command) ? ['--yes'] : [])], {
          environment: operatorEnvironment(),
          input: 'a-token',
        });
  onAsked(permissions);
  return ended;
}

const OPERATOR = { accessKeyId: 'operator', secretAccessKey: 'none' };

function operatorEnvironment() {
  const { accessKeyId, secretAccessKey } = OPERATOR;
  return {
    ...{ AWS_ENDPOINT_URL: feed.endpoint.url, AWS_REGION: REGION },
    ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
  };
}

/** The placeholders for a subscription's dead-letter queue: the alarm has its name, commands return the rest. */
function deadLetters(): Readonly<Record<string, string>> {
  const id = idOf(feed.template, 'AWS::SQS::Queue', 'ErpDeadLetters');
  return {
    queue: feed.names.attribute(id, 'QueueName'),
    'queue-url': feed.names.ref(id),
    'queue-arn': feed.names.attribute(id, 'Arn'),
  };
}

/** The placeholders for a webhook's function and log: another command returns them. */
function partsOfWebhook(): Readonly<Record<string, string>> {
  return {
    function: feed.refOf('AWS::Lambda::Function', 'WebhooksWmsSweep'),
    log: feed.refOf('AWS::Logs::LogGroup', 'WebhooksWmsSender'),
  };
}

/** Before the name of a command. */
const WORDS_BEFORE = ['npx', '--no', 'returns-feed'];

/** Whether it asks on a terminal, which tests have not. */
function asks(command: string): boolean {
  return /returns-feed (release|adopt|forget) | --skip /.test(command);
}

/** The words from its name on. */
function wordsOf(command: string): string[] {
  return command.replace(/^npx --no returns-feed /, '').split(' ');
}

function withdraw(statement: OperatorStatement, action: string, resource?: string): OperatorStatement {
  if (resource !== undefined && !statement.Resource.includes(resource)) return statement;
  return { ...statement, Action: statement.Action.filter((it) => it !== action) };
}

function firstLine({ stdout, stderr }: Ended): string {
  return (stdout + stderr).split('\n')[0]?.slice(0, 150) ?? '';
}
