// `sources add` and `sources remove`: what the construct makes for a source, for a deployment that runs.
import { Command, Option } from 'commander';
import type { TokenPlace } from '../../functions/adapters/ssm-source-directory.ts';
import { isScheduledInterval, sourceSettings } from '../../shared/source/source-settings.ts';
import { formatDuration, parseCount, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { type SourceFlags, settingsOf } from '../cli/source-flags.ts';
import { openPlace, type PlaceFlags } from '../operating/open-place.ts';
import type { GivenSettings } from '../operating/plan-source.ts';
import { openSourceResources, type SourceResources } from '../operating/source-resources.ts';

interface AddFlags extends SourceFlags, Pick<PlaceFlags, 'stack'> {
  readonly tokenSecret?: string;
  readonly tokenParameter?: string;
  readonly reconcile: number;
  readonly customerData?: boolean;
}

/** What the service allows with one key. */
const MOST_REQUESTS = 300;
/** A request has to fit in what is left of a tick. */
const LONGEST_TIMEOUT_MS = 15_000;

const ABOUT_ADDING = `
Makes what the stack makes for each of its sources: the parameter below the deployment's path, a
schedule that sends its ticks, and the alarm on its freshness. Done again it changes the settings.

The poller may read the deployment's own tokens alone. So a secret's name begins with what stands
in the path of the sources (the stack's output SourcesPath) before "/sources", and "/tokens/":
"my-feed/tokens/globex"; a parameter's begins with a slash. If the token is encrypted with a key of
your own, the key's policy must let the poller's role decrypt with it.

The dashboard and "onChange" know the sources of the stack alone. To have a source for good, name it
in the stack: "sources remove" it first, its state stays.`;

export function createAddSourceCommand(): Command {
  return new Command('add')
    .description('Add a source to a running deployment. Its token is in a secret already.')
    .argument('<name>', 'what the source is called in events: a-z, 0-9, -')
    .requiredOption('--base-url <url>', 'address of the service, its path prefix included')
    .option('--token-secret <id>', 'name or ARN of the secret with the token (Secrets Manager)')
    .option('--token-parameter <name>', 'or name of the SecureString with the token (Parameter Store)')
    .option('--every <time>', 'time between polls (default: 60s)', parseDuration)
    .addOption(
      new Option('--baseline <mode>', 'whether groups that are there at the start are announced').choices([
        'silent',
        'emit',
      ]),
    )
    .option(
      '--lookback <time>',
      'how late a change may show and be found by polls (default: 5m)',
      parseDuration,
    )
    .option('--settle <time>', 'how long a read may be stale (default: 60s)', parseDuration)
    .addOption(
      new Option('--reconcile <time>', 'length of a reconciliation cycle; each reads every known group')
        .argParser(parseDuration)
        .default(43_200_000, '12h'),
    )
    .option('--budget <requests>', 'requests in any 60 seconds (default: 240)', parseCount)
    .option('--timeout <time>', 'after which a request is given up (default: 10s)', parseDuration)
    .option('--customer-data', 'let events carry the customer: read SECURITY.md before')
    .option('--stack <name>', 'the deployment, by its CloudFormation stack; or name its parts as variables')
    .addHelpText('after', ABOUT_ADDING)
    .action(add);
}

export function createRemoveSourceCommand(): Command {
  return new Command('remove')
    .description('Stop polling a source that was added, and take out what was made for it. Its state stays.')
    .argument('<name>', 'the source')
    .option('--stack <name>', 'the deployment, by its CloudFormation stack; or name its parts as variables')
    .action(remove);
}

async function add(name: string, flags: AddFlags): Promise<void> {
  const settings = readSettings(name, flags);
  const token = readTokenPlace(flags);
  await withResources(flags, async (resources) => {
    const { hasAlarm } = await resources.add({ settings, token });
    const out = createPrinter(process.stdout);
    const every = formatDuration(settings.intervalMs ?? 60_000);
    await out.line(`added: source ${name} is polled every ${every}.`);
    if (!hasAlarm)
      await out.line('It has no alarm on its freshness: no other source has one that could be copied.');
  });
}

async function remove(name: string, flags: Pick<PlaceFlags, 'stack'>): Promise<void> {
  await withResources(flags, async (resources) => {
    await resources.remove(name);
    await createPrinter(process.stdout).line(
      `removed: source ${name} is polled no more. What is stored of it stays.`,
    );
  });
}

async function withResources(
  { stack }: Pick<PlaceFlags, 'stack'>,
  work: (resources: SourceResources) => Promise<void>,
): Promise<void> {
  const place = await openPlace(stack === undefined ? {} : { stack });
  try {
    const resources = await openSourceResources(place.deployment);
    await work(resources).finally(resources.close);
  } finally {
    await place.close();
  }
}

function readTokenPlace({ tokenSecret, tokenParameter }: AddFlags): TokenPlace {
  if (tokenSecret !== undefined && tokenParameter === undefined) return { secretId: tokenSecret };
  if (tokenParameter !== undefined && tokenSecret === undefined) return { parameter: tokenParameter };
  throw new UsageError('Say where the token is: --token-secret ID or --token-parameter NAME, one of them.');
}

/** Only what was given: the rest is left to the poller's defaults, as in a stack. */
function readSettings(name: string, flags: AddFlags): GivenSettings {
  const given = Object.fromEntries(
    Object.entries({
      name,
      ...settingsOf(flags),
      customerData: flags.customerData,
    }).filter(([, value]) => value !== undefined),
  ) as GivenSettings;
  const parsed = sourceSettings.safeParse(given);
  const problems = [...(parsed.error?.issues.map(({ message }) => message) ?? []), ...problemsOf(given)];
  if (problems.length > 0) throw new UsageError(problems.join(' '));
  return given;
}

function problemsOf({
  intervalMs = 60_000,
  reconcileMs = intervalMs,
  requestsPerMinute = 240,
  requestTimeoutMs = 0,
}: GivenSettings) {
  const rules: readonly [boolean, string][] = [
    [
      isScheduledInterval(intervalMs / 1_000),
      'Polls are a number of seconds apart that divides a minute (2s, 3s … 30s), or whole minutes up to a day.',
    ],
    [
      reconcileMs >= intervalMs,
      'A reconciliation cycle is at least as long as the time between polls, for it begins with one.',
    ],
    [
      requestsPerMinute >= 10 && requestsPerMinute <= MOST_REQUESTS,
      `The budget is from 10 to ${MOST_REQUESTS}, what the service allows.`,
    ],
    [requestTimeoutMs <= LONGEST_TIMEOUT_MS, 'A request may take 15s at most, to fit in a tick.'],
  ];
  return rules.flatMap(([isKept, problem]) => (isKept ? [] : [problem]));
}
