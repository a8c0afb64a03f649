// `aws …` with the AWS CLI's syntax, run by the SDK, so that no machine needs the CLI. Options are the members of the
// operation's request; an unknown option, or a missing required one, fails like in the CLI.
import * as cloudFormation from '@aws-sdk/client-cloudformation';
import * as cloudWatch from '@aws-sdk/client-cloudwatch';
import * as logs from '@aws-sdk/client-cloudwatch-logs';
import * as events from '@aws-sdk/client-eventbridge';
import * as lambda from '@aws-sdk/client-lambda';
import * as scheduler from '@aws-sdk/client-scheduler';
import * as secretsManager from '@aws-sdk/client-secrets-manager';
import * as sqs from '@aws-sdk/client-sqs';
import * as ssm from '@aws-sdk/client-ssm';
import type { Ended } from '../local/cli/run-feed.ts';

export interface AwsOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

interface Client {
  send(command: unknown): Promise<object>;
  destroy(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: one of the SDK's packages
type Package = any;

/** The SDK's package and client for each service, by the CLI's name. */
const SERVICES: Readonly<Record<string, readonly [Package, string]>> = {
  cloudformation: [cloudFormation, 'CloudFormationClient'],
  cloudwatch: [cloudWatch, 'CloudWatchClient'],
  events: [events, 'EventBridgeClient'],
  lambda: [lambda, 'LambdaClient'],
  logs: [logs, 'CloudWatchLogsClient'],
  scheduler: [scheduler, 'SchedulerClient'],
  secretsmanager: [secretsManager, 'SecretsManagerClient'],
  sqs: [sqs, 'SQSClient'],
  ssm: [ssm, 'SSMClient'],
};

/** @param words from `aws` on */
export async function runAws(words: readonly string[], options: AwsOptions): Promise<Ended> {
  try {
    const { sdk, client: name, command } = parse(words);
    const client: Client = new sdk[name]({ ...options, maxAttempts: 1 });
    try {
      const { $metadata: _, ...answer } = (await client.send(command)) as { readonly $metadata?: unknown };
      return { code: 0, stdout: `${JSON.stringify(answer)}\n`, stderr: '' };
    } finally {
      client.destroy();
    }
  } catch (error) {
    // The CLI's exit codes: 252 for invalid usage, 254 if the service returned an error.
    if (error instanceof WrongCommandError) return { code: 252, stdout: '', stderr: `${error.message}\n` };
    const { name, message } = error as Error;
    return { code: 254, stdout: '', stderr: `An error occurred (${name}): ${message}\n` };
  }
}

class WrongCommandError extends Error {}

function wrong(message: string): never {
  throw new WrongCommandError(message);
}

/** Features that only the CLI has: commands that are not operations, positional words, its own options. */
const OF_THE_CLI: Readonly<
  Record<string, { readonly operation?: string; readonly word: string; readonly own: readonly string[] }>
> = {
  'lambda invoke': { word: 'outfile', own: ['outfile'] },
  'logs tail': { operation: 'filter-log-events', word: 'log-group-name', own: ['follow', 'since', 'format'] },
};
const GLOBAL_OPTIONS = ['output', 'query', 'region', 'no-cli-pager', 'cli-binary-format'];

interface Parsed {
  readonly sdk: Package;
  readonly client: string;
  readonly command: unknown;
}

/** @throws WrongCommandError like the CLI, before any request */
function parse([, service = '', operation = '', ...rest]: readonly string[]): Parsed {
  const name = `aws ${service} ${operation}`;
  const { operation: called = operation, word, own = [] } = OF_THE_CLI[`${service} ${operation}`] ?? {};
  const [sdk, client] = SERVICES[service] ?? wrong(`${name}: there is no service ${service} here.`);
  const Command = sdk[`${pascal(called)}Command`] ?? wrong(`${name}: there is no such operation.`);
  const members = membersOf(new Command({}).schema);
  const known = new Map(members.map((member) => [kebab(member.name), member]));
  const request: Record<string, unknown> = {};
  const beside: string[] = [];
  for (const { option, words } of optionsOf(rest, beside)) {
    const member = known.get(option);
    if (member === undefined && ![...GLOBAL_OPTIONS, ...own].includes(option))
      wrong(`${name} has no option --${option}.`);
    const taken = member?.isList === true ? words.length : 1;
    beside.push(...words.slice(taken));
    if (member !== undefined) request[member.name] = member.isList ? words : readWord(words[0]);
  }
  if (word !== undefined && beside.length === 0) wrong(`${name} needs its ${word}.`);
  if (beside.length > (word === undefined ? 0 : 1))
    wrong(`${name}: "${beside.at(-1)}" is one word too many.`);
  const member = known.get(word ?? '');
  if (member !== undefined) request[member.name] = beside[0];
  const missing = members.filter((it) => it.isRequired && request[it.name] === undefined);
  if (missing.length > 0) wrong(`${name} needs --${missing.map((it) => kebab(it.name)).join(' and --')}.`);
  return { sdk, client, command: new Command(request) };
}

/** @param beside receives the words before the first option */
function optionsOf(rest: readonly string[], beside: string[]): { option: string; words: string[] }[] {
  const options: { option: string; words: string[] }[] = [];
  for (const word of rest)
    if (word.startsWith('--')) options.push({ option: word.slice(2), words: [] });
    else (options.at(-1)?.words ?? beside).push(word);
  return options;
}

/** The value of an option; true without a word. */
function readWord(word: string | undefined): unknown {
  if (word === undefined) return true;
  if (/^\d+$/.test(word)) return Number(word);
  return /^[[{]/.test(word) ? JSON.parse(word) : word;
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
}

/** The SDK's own schemas: an operation has its request in the fifth place; of a request required members come first. */
function membersOf(operation: readonly unknown[]): Member[] {
  const [, , , , names, types, required = 0] = called(operation[4]) as [
    0,
    0,
    0,
    0,
    string[],
    unknown[],
    number?,
  ];
  return names.map((name, at) => ({ name, isRequired: at < required, isList: isList(types[at]) }));
}

/** Whether a schema is a list: of simple values a number with a flag, of others a schema that begins with 1. */
function isList(type: unknown): boolean {
  const schema = called(type);
  if (typeof schema === 'number') return (schema & 64) !== 0;
  return Array.isArray(schema) && (schema.length > 3 ? schema[0] === 1 : isList(schema[0]));
}

function called(schema: unknown): unknown {
  return typeof schema === 'function' ? called(schema()) : schema;
}

function pascal(operation: string): string {
  return operation.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function kebab(member: string): string {
  return member.replace(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase();
}
