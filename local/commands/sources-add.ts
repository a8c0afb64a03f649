// `sources add` and `sources remove`: create and delete the resources of a source in a running deployment.
import { Command, Option } from 'commander';
import type { TokenPlace } from '../../functions/adapters/ssm-source-directory.ts';
import {
  DEFAULT_INTERVAL_MS,
  DEFAULT_REQUESTS_PER_MINUTE,
  FEWEST_REQUESTS_PER_MINUTE,
  isScheduledInterval,
  LONGEST_REQUEST_TIMEOUT_MS,
  MOST_REQUESTS_PER_MINUTE,
  sourceSettings,
} from '../../shared/source/source-settings.ts';
import { formatDuration, parseCount, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { describeStack } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { includeOption, type SourceFlags, settingsOf } from '../cli/source-flags.ts';
import { withDeployment } from '../operating/open-deployment.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import type { GivenSettings } from '../operating/plan-source.ts';
import { addSource, removeSource } from '../operating/source-resources.ts';

type StackFlags = Pick<PlaceFlags, 'stack'>;

interface AddFlags extends SourceFlags, StackFlags {
  readonly tokenSecret?: string;
  readonly tokenParameter?: string;
  readonly customerData?: boolean;
  readonly sourceRead: boolean;
}

const ABOUT_ADDING = `
Creates the resources that the stack creates for each of its sources: a parameter below the
deployment's path, a schedule that sends the ticks, and a freshness alarm. Running it again changes
the settings.

The poller sends a token only to the host that the token's name contains: a secret's name must begin
with "<feed>/tokens/<host>/" ("my-feed/tokens/returns.globex.example/main"), a parameter's with
"/<feed>/tokens/<host>/". A port follows the host after "_". The stack's output SourcesPath is
"/<feed>/sources". If a key of your own encrypts the token, the key's policy must let the poller's
role decrypt with it.

The dashboard and "onChange" only know the sources of the stack. To keep a source permanently, run
"sources remove" and then add it to the stack: its state stays.
Example:
  returns-feed sources add globex --base-url https://returns.globex.example/api \\
    --token-secret my-feed/tokens/returns.globex.example/main --stack ReturnsFeed`;

const ABOUT_REMOVING = `
Example:
  returns-feed sources remove globex --stack ReturnsFeed`;

const STACK = describeStack(', FEED_NAME and SCHEDULES_GROUP');

export function createAddSourceCommand(): Command {
  return new Command('add')
    .description('Add a source to a running deployment. Store its token in a secret first.')
    .argument('<name>', 'name of the source in events: a-z, 0-9, -')
    .requiredOption('--base-url <url>', 'address of the service, including its path prefix')
    .option('--token-secret <id>', 'name or ARN of the secret that holds the token (Secrets Manager)')
    .option('--token-parameter <name>', 'or name of the SecureString that holds the token (Parameter Store)')
    .option('--every <time>', 'time between polls (default: 60s)', parseDuration)
    .addOption(
      new Option(
        '--baseline <mode>',
        'publish events for the groups present at the start (emit) or not (silent; default)',
      ).choices(['silent', 'emit']),
    )
    .option(
      '--lookback <time>',
      'polls find a change that becomes visible within this time after its timestamp; at least twice --settle (default: 5m)',
      parseDuration,
    )
    .option('--settle <time>', 'maximum staleness of a read (default: 60s)', parseDuration)
    .option(
      '--reconcile <time>',
      'time between walks over recent groups, which find changes that move no timestamp (default: as often as they ' +
        'take a tenth of the budget, at least every 10m)',
      parseDuration,
    )
    .option(
      '--budget <requests>',
      `maximum requests in any 60 seconds (default: ${DEFAULT_REQUESTS_PER_MINUTE})`,
      parseCount,
    )
    .option('--timeout <time>', 'timeout of a request (default: 10s)', parseDuration)
    .option('--customer-data', "include the customer's name, e-mail and phone in events (see SECURITY.md)")
    .addOption(includeOption())
    .option('--no-source-read', 'do not publish feed.source_read once a minute (see docs/subscribing.md)')
    .option('--stack <name>', STACK)
    .addHelpText('after', ABOUT_ADDING)
    .action(add);
}

export function createRemoveSourceCommand(): Command {
  return new Command('remove')
    .description('Stop polling an added source: delete its parameter, schedule and alarm. Its state stays.')
    .argument('<name>', 'the name of the source')
    .option('--stack <name>', STACK)
    .addHelpText('after', ABOUT_REMOVING)
    .action(remove);
}

async function add(name: string, flags: AddFlags): Promise<void> {
  const settings = readSettings(name, flags);
  const token = readTokenPlace(flags);
  await withDeployment(flags, async (feed) => {
    const { hasAlarm } = await addSource(feed, { settings, token });
    const out = createPrinter(process.stdout);
    const every = formatDuration(settings.intervalMs ?? DEFAULT_INTERVAL_MS);
    await out.line(`added: source ${name} is polled every ${every}.`);
    if (!hasAlarm) await out.line('It has no freshness alarm: no other source has one to copy.');
  });
}

async function remove(name: string, flags: StackFlags): Promise<void> {
  await withDeployment(flags, async (feed) => {
    await removeSource(feed, name);
    await createPrinter(process.stdout).line(
      `removed: source ${name} is no longer polled. Its stored data stays.`,
    );
  });
}

function readTokenPlace({ tokenSecret, tokenParameter }: AddFlags): TokenPlace {
  if (tokenSecret !== undefined && tokenParameter === undefined) return { secretId: tokenSecret };
  if (tokenParameter !== undefined && tokenSecret === undefined) return { parameter: tokenParameter };
  throw new UsageError('Give exactly one of --token-secret ID and --token-parameter NAME.');
}

/** Only the given settings: the poller's defaults fill in the rest, as for a source of the stack. */
function readSettings(name: string, flags: AddFlags): GivenSettings {
  const given = {
    name,
    ...settingsOf(flags),
    customerData: flags.customerData,
    sourceRead: flags.sourceRead ? undefined : false,
  };
  const parsed = sourceSettings.safeParse(given);
  const problems = [...(parsed.error?.issues.map(({ message }) => message) ?? []), ...problemsOf(given)];
  if (problems.length > 0) throw new UsageError(problems.join(' '));
  return given;
}

function problemsOf({
  intervalMs = DEFAULT_INTERVAL_MS,
  reconcileMs = intervalMs,
  requestsPerMinute = DEFAULT_REQUESTS_PER_MINUTE,
  requestTimeoutMs = 0,
}: GivenSettings) {
  const rules: readonly [boolean, string][] = [
    [
      isScheduledInterval(intervalMs / 1_000),
      '--every must be seconds that divide a minute (2s, 3s … 30s), or whole minutes up to a day.',
    ],
    [reconcileMs >= intervalMs, '--reconcile must be at least --every: walks begin in ticks.'],
    [
      requestsPerMinute >= FEWEST_REQUESTS_PER_MINUTE && requestsPerMinute <= MOST_REQUESTS_PER_MINUTE,
      `--budget must be from ${FEWEST_REQUESTS_PER_MINUTE} to ${MOST_REQUESTS_PER_MINUTE}, the service's limit.`,
    ],
    [
      requestTimeoutMs <= LONGEST_REQUEST_TIMEOUT_MS,
      `--timeout must be at most ${LONGEST_REQUEST_TIMEOUT_MS / 1_000}s, to fit into a tick.`,
    ],
  ];
  return rules.flatMap(([isKept, problem]) => (isKept ? [] : [problem]));
}
