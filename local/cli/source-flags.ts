// The command-line options of a source, and its settings.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { NamedToken } from '../../shared/deployment/token-names.ts';
import { INCLUDABLE, type Includable } from '../../shared/returns-service/read-included.ts';
import { DEFAULT_REQUESTS_PER_MINUTE } from '../../shared/source/source-settings.ts';
import { parseCount, parseDuration } from './durations.ts';
import { UsageError } from './failures.ts';
import { didYouMean } from './suggest.ts';

export interface SourceFlags {
  readonly baseUrl: string;
  readonly every?: number | undefined;
  readonly baseline?: 'silent' | 'emit' | undefined;
  readonly lookback?: number | undefined;
  readonly settle?: number | undefined;
  readonly reconcile?: number | undefined;
  readonly budget?: number | undefined;
  readonly timeout?: number | undefined;
  readonly include?: Includable[] | undefined;
}

/** `--include`, for the commands that set up a source. */
export function includeOption(): Option {
  return new Option(
    '--include <fields>',
    `add fields to events, separated by commas: ${INCLUDABLE.join(', ')} (see SECURITY.md)`,
  ).argParser(parseInclude);
}

function parseInclude(text: string): Includable[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !INCLUDABLE.some((known) => known === name));
  if (unknown === undefined) return names as Includable[];
  throw new InvalidArgumentError(
    `Events can't include "${unknown}".${didYouMean(unknown, INCLUDABLE)} They can include ${INCLUDABLE.join(', ')}.`,
  );
}

/** The settings besides the address; an option that is not given is undefined. */
export function settingsOf(flags: Omit<SourceFlags, 'baseUrl'>) {
  return {
    intervalMs: flags.every,
    baseline: flags.baseline,
    lookbackMs: flags.lookback,
    settleMs: flags.settle,
    reconcileMs: flags.reconcile,
    requestsPerMinute: flags.budget,
    requestTimeoutMs: flags.timeout,
    include: flags.include,
  };
}

// Of a source in a deployment.

export interface TokenFlags {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly tokenSecret?: string | undefined;
  readonly tokenParameter?: string | undefined;
}

export interface DeployedSourceFlags extends Partial<SourceFlags>, TokenFlags {
  readonly customerData?: boolean | undefined;
  readonly sourceRead?: boolean | number | undefined;
}

/** @param isNew whether what is not given gets its default */
export function addDeployedSourceOptions(command: Command, isNew: boolean): Command {
  const unless = (byDefault: string) => (isNew ? ` (default: ${byDefault})` : '');
  return command
    .option(
      '--token-file <file>',
      'file with the token (- for standard input), which the entry keeps encrypted',
    )
    .option('--token-secret <id>', 'or name or ARN of the secret that holds it (Secrets Manager)')
    .option('--token-parameter <name>', 'or name of the SecureString that holds it (Parameter Store)')
    .option('--every <time>', `time between polls${unless('60s')}`, parseDuration)
    .addOption(
      new Option(
        '--baseline <mode>',
        `publish events for the groups present at the start (emit) or not (silent)${unless('silent')}`,
      ).choices(['silent', 'emit']),
    )
    .option(
      '--lookback <time>',
      `polls find a change that becomes visible within this time after its timestamp; at least twice --settle${unless('5m')}`,
      parseDuration,
    )
    .option('--settle <time>', `maximum staleness of a read${unless('60s')}`, parseDuration)
    .option(
      '--reconcile <time>',
      `time between walks over recent groups, which find changes that move no timestamp${unless('1h')}`,
      parseDuration,
    )
    .option(
      '--budget <requests>',
      `maximum requests in any 60 seconds${unless(String(DEFAULT_REQUESTS_PER_MINUTE))}`,
      parseCount,
    )
    .option('--timeout <time>', `timeout of a request${unless('10s')}`, parseDuration)
    .option('--customer-data', "include the customer's name, e-mail and phone in events (see SECURITY.md)")
    .addOption(includeOption())
    .option(
      '--source-read <time>',
      `time between two feed.source_read (see docs/subscribing.md)${unless('1h')}`,
      parseDuration,
    )
    .option('--no-source-read', 'do not publish feed.source_read');
}

/** As {@link settingsOf}. */
export function deployedSettingsOf({ customerData, sourceRead, ...flags }: DeployedSourceFlags) {
  return { ...settingsOf(flags), customerData, sourceRead };
}

/** The token, or its name; undefined if none is given. @throws UsageError if several are */
export function tokenOf(
  { token, tokenFile, tokenSecret, tokenParameter }: TokenFlags,
  read: (path: string) => string,
): string | NamedToken | undefined {
  const given = [token, tokenFile, tokenSecret, tokenParameter].filter((each) => each !== undefined);
  if (given.length > 1)
    throw new UsageError('Give the token once: in a token file, in a secret or in a parameter.');
  if (tokenSecret !== undefined) return { secretId: tokenSecret };
  if (tokenParameter !== undefined) return { parameter: tokenParameter };
  return token ?? (tokenFile === undefined ? undefined : read(tokenFile));
}

/** As {@link tokenOf}. @throws UsageError also if none is given */
export function neededTokenOf(flags: TokenFlags, read: (path: string) => string): string | NamedToken {
  const token = tokenOf(flags, read);
  if (token === undefined)
    throw new UsageError('The source needs its token: --token-file, --token-secret or --token-parameter.');
  return token;
}
