// The configuration of a `watch` with many sources: a JSON file, checked as a whole, so that one look shows all problems.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { CONTENT_TYPES } from '../../shared/deployment/content-type.ts';
import { MESSAGE_SHAPES } from '../../shared/deployment/message-shape.ts';
import {
  problemOfBudgets,
  sourceSettings,
  WALK_SHARE_OF_WATCH,
} from '../../shared/source/source-settings.ts';
import { messageOf, UsageError } from '../cli/failures.ts';
import { checkChangeFilter, parseUrl, readSecret } from '../cli/forward-flags.ts';
import { readBaseUrl } from '../cli/service-options.ts';
import {
  baseUrlField,
  duration,
  nameField,
  problemsIn,
  settingFields,
  textsOf,
} from '../cli/source-fields.ts';
import { settingsOf } from '../cli/source-flags.ts';
import type { GivenOption } from '../store/documents.ts';
import type { Receiver, WatchedSource, WatchPlan } from './watch-plan.ts';

const configuredSource = z.strictObject({
  name: nameField,
  baseUrl: baseUrlField,
  tokenFile: z.string().optional().meta({ description: 'File with the token; or give tokenEnv.' }),
  tokenEnv: z.string().optional().meta({ description: 'Variable of the environment with the token.' }),
  ...settingFields,
  moved: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the same store has moved to this baseUrl since the last start.' }),
});

const configuredReceiver = z.strictObject({
  url: z.string().meta({ description: 'URL that each event is posted to, signed, in order per return.' }),
  secretFile: z
    .string()
    .optional()
    .meta({ description: 'File with the signing secret; without it, the directory keeps one.' }),
  sources: z.array(z.string()).optional().meta({ description: 'Only events of these sources.' }),
  filter: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Which events are posted: see docs/webhooks.md.' }),
  contentType: z.enum(CONTENT_TYPES).optional().meta({ description: 'Media type of the posts.' }),
  shape: z.enum(MESSAGE_SHAPES).optional().meta({
    description: 'Whether each event is posted, or the whole return as it is then.',
  }),
});

/** The file's shape; docs/watch-config.schema.json is made of it. Paths are relative to the file. */
export const watchConfigFile = z.strictObject({
  $schema: z.string().optional(),
  data: z.string().optional().meta({ description: 'Directory of the state; or the option --data.' }),
  every: duration.optional().meta({ description: 'Time between polls, of sources that name none.' }),
  console: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .meta({ description: 'Port of the console on this machine; 0 picks a free one.' }),
  listen: z
    .string()
    .optional()
    .meta({ description: 'HOST:PORT or PORT of the pull feed: see docs/pulling.md.' }),
  sources: z.array(configuredSource).min(1),
  receivers: z.array(configuredReceiver).optional(),
});

export interface WatchConfig {
  readonly data: string | undefined;
  readonly console: number | undefined;
  readonly listen: string | undefined;
  readonly plan: WatchPlan;
}

/** The settings of the command line, before those of the file. */
export interface ConfigOverrides {
  /** Time between polls of all sources, in milliseconds. */
  readonly every: number | undefined;
  /** The options, for the directory to remember. */
  readonly given: readonly GivenOption[];
}

/** @throws UsageError that names all problems of the file */
export function readWatchConfig(file: string, overrides: ConfigOverrides): WatchConfig {
  const parsed = watchConfigFile.safeParse(parseFile(file));
  if (!parsed.success) throw problemsIn(file, textsOf(parsed.error, 'the file'));
  const { data, console, listen, every, sources, receivers = [] } = parsed.data;
  const problems: string[] = [];
  /** Notes what is wrong with one entry, and goes on with the others. */
  function eachOf<Entry, Read>(
    place: string,
    entries: readonly Entry[],
    read: (entry: Entry) => Read,
  ): Read[] {
    return entries.flatMap((entry, index) => {
      try {
        return [read(entry)];
      } catch (error) {
        problems.push(`${place}[${index}]: ${messageOf(error)}`);
        return [];
      }
    });
  }
  const from = (path: string) => (isAbsolute(path) ? path : join(dirname(file), path));
  const usual = { every: overrides.every ?? every, given: overrides.given };
  const plan: WatchPlan = {
    sources: eachOf('sources', sources, (source) => readSource(source, usual, from)),
    receivers: eachOf('receivers', receivers, (receiver) => readReceiver(receiver, sources, from)),
  };
  problems.push(...problemsBetween(plan));
  if (problems.length > 0) throw problemsIn(file, problems);
  return { data: data === undefined ? undefined : from(data), console, listen, plan };
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`The configuration ${file} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

type From = (path: string) => string;

function readSource(
  source: z.output<typeof configuredSource>,
  usual: { readonly every: number | undefined; readonly given: readonly GivenOption[] },
  from: From,
): WatchedSource {
  const settings = sourceSettings.safeParse({
    name: source.name,
    baseUrl: readBaseUrl(source.baseUrl),
    ...settingsOf({ ...source, every: source.every ?? usual.every }),
    walkShare: WALK_SHARE_OF_WATCH,
    // Nobody subscribes to the bus of one machine.
    sourceRead: false,
  });
  if (!settings.success) throw new Error(settings.error.issues.map(({ message }) => message).join(' '));
  return {
    settings: settings.data,
    secret: secretOf(source, from),
    isMoved: source.moved,
    spread: spreadOf(source.name),
    given: usual.given,
  };
}

/** A fraction that is the same at each start. */
function spreadOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
}

/** Read now, so that a missing token is a problem of the start, and again whenever the service refuses it. */
function secretOf(
  { name, tokenFile, tokenEnv }: z.output<typeof configuredSource>,
  from: From,
): WatchedSource['secret'] {
  if ((tokenFile === undefined) === (tokenEnv === undefined))
    throw new Error(`"${name}" needs its token: either tokenFile or tokenEnv.`);
  const place = tokenFile === undefined ? `the variable ${tokenEnv}` : from(tokenFile);
  const read = () => {
    const token = tokenFile === undefined ? process.env[String(tokenEnv)] : readFileSync(place, 'utf8');
    if (!token?.trim()) throw new Error(`There is no token of "${name}" in ${place}.`);
    return token;
  };
  read();
  return {
    place,
    refused:
      `The service refuses the token in ${place}, or a firewall before it refuses this machine. Put a token there that ` +
      'this service accepts, or have the machine admitted.',
    read: async () => read(),
  };
}

function readReceiver(
  { url, secretFile, contentType, shape, ...receiver }: z.output<typeof configuredReceiver>,
  sources: readonly { readonly name: string }[],
  from: From,
): Receiver {
  const unknown = receiver.sources?.find((name) => sources.every((source) => source.name !== name));
  if (unknown !== undefined) throw new Error(`There is no source "${unknown}".`);
  const filter = checkChangeFilter(
    { ...receiver.filter, ...(receiver.sources && { sources: receiver.sources }) },
    shape,
  );
  return {
    url: parseUrl(url, 'url'),
    secret: secretFile === undefined ? undefined : readSecret(from(secretFile), 'secretFile'),
    filter,
    contentType,
    shape,
  };
}

/** What is wrong although each entry by itself is right. */
function problemsBetween({ sources, receivers }: WatchPlan): string[] {
  const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);
  const byToken = Map.groupBy(sources, ({ settings, secret }) => `${settings.baseUrl} ${secret.place}`);
  const budgets = [...byToken.values()].map((sharing) =>
    problemOfBudgets(sharing.map(({ settings }) => settings)),
  );
  return [
    ...twice(sources.map(({ settings }) => settings.name)).map(
      (name) => `The source "${name}" stands there twice`,
    ),
    ...twice(receivers.map(({ url }) => url.href)).map(() => 'A receiver stands there twice'),
    ...budgets.filter((problem) => problem !== undefined),
  ];
}
