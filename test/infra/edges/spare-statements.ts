// The purposes of statements that no edge needs. A statement without a purpose is unnecessary.
import type { OwnedStatement } from './read-policies.ts';

/** @returns the statement's purpose; undefined if it has none */
export function purposeOf(statement: OwnedStatement): string | undefined {
  return PURPOSES.find(({ isFor }) => isFor(statement))?.purpose;
}

interface Purpose {
  readonly purpose: string;
  isFor(statement: OwnedStatement): boolean;
}

const PURPOSES: readonly Purpose[] = [
  {
    purpose: 'denies requests without TLS',
    isFor: ({ Effect, Condition }) =>
      Effect === 'Deny' && String(Condition?.Bool?.['aws:SecureTransport']) === 'false',
  },
  {
    // `npm run ministack` makes these calls with policies enforced; roles.test.ts compares them with SECURITY.md.
    purpose: 'calls of the function or state machine itself',
    isFor: (statement) =>
      statement.says === 'identity' &&
      actionsOf(statement).every((it) => OWN_CALLS.test(it)) &&
      (!actionsOf(statement).some((it) => it.startsWith('kms:')) || isForOnePurpose(statement)),
  },
  {
    // Only the functions' own calls use it.
    purpose: 'leaves the key of tokens to the policies of the account',
    isFor: ({ says, name }) => says === 'resource' && name.endsWith('/TokenKey, key policy #1'),
  },
  {
    purpose: "the function's own log",
    isFor: ({ says, name }) => says === 'identity' && name.includes('AWSLambdaBasicExecutionRole'),
  },
  {
    purpose: "refuses to a function's code what its role allows Lambda for the network",
    isFor: (statement) =>
      statement.Effect === 'Deny' &&
      statement.says === 'identity' &&
      statement.Condition?.ArnLike?.['lambda:SourceFunctionArn'] !== undefined,
  },
  {
    // The first statement of a key's policy allows the same.
    purpose: 'superfluous: CDK lets the account use the key of a secret through Secrets Manager',
    isFor: (statement) =>
      statement.says === 'resource' &&
      actionsOf(statement).every((it) => it.startsWith('kms:')) &&
      /^secretsmanager\./.test(String(statement.Condition?.StringEquals?.['kms:ViaService'])),
  },
  {
    // The statement for calls through one service allows the same.
    purpose: 'superfluous: CDK lets consumers of a stream or a queue decrypt with its key',
    isFor: (statement) =>
      statement.says === 'identity' &&
      actionsOf(statement).every((it) => it === 'kms:Decrypt' || it === 'kms:DescribeKey'),
  },
  {
    // The statements for the archive and for dead letters of rules allow the same. Only CDK's have a source or a wildcard.
    purpose: 'superfluous: CDK lets EventBridge use the key of a bus or of a queue that is a target',
    isFor: (statement) =>
      isForService(statement, 'events.amazonaws.com') &&
      actionsOf(statement).every((it) => it.startsWith('kms:')) &&
      (statement.Condition?.StringEquals?.['aws:SourceArn'] !== undefined ||
        actionsOf(statement).some((it) => it.endsWith('*'))),
  },
];

const OWN_CALLS =
  /^(dynamodb:(?!.*Stream|GetRecords|GetShard)|s3:GetObject$|ssm:GetParameter$|secretsmanager:GetSecretValue$|events:PutEvents$|sns:Publish$|sqs:SendMessage$|states:(SendTaskSuccess|StartExecution)$|kms:)/;

/** Through one service, or for the tokens of one feed. */
function isForOnePurpose({ Condition }: OwnedStatement): boolean {
  const { StringEquals = {} } = Condition ?? {};
  return 'kms:ViaService' in StringEquals || 'kms:EncryptionContext:feed' in StringEquals;
}

function isForService({ Principal }: OwnedStatement, service: string): boolean {
  return typeof Principal === 'object' && Principal.Service === service;
}

function actionsOf({ Action }: OwnedStatement): readonly string[] {
  return typeof Action === 'string' ? [Action] : Action;
}
