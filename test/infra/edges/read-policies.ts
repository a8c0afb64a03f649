// Reads every statement of an account's policies, with its owner: a role, for its permissions or its trust policy, or
// another resource, for its resource policy.
import type { Statement } from './policies.ts';
import { ACCOUNT, type Account, type AccountResource, arn, queueArnOf } from './read-account.ts';

export interface OwnedStatement extends Statement {
  /** The kind of policy: a role's permissions, a role's trust policy, or a resource's policy. */
  readonly says: 'identity' | 'trust' | 'resource';
  /** The role's or the resource's ARN. */
  readonly owner: string;
  /** The policy's place, for messages. */
  readonly name: string;
  readonly Principal?: '*' | Readonly<Record<string, string | readonly string[]>>;
}

export interface Policies {
  readonly statements: readonly OwnedStatement[];
  /** The ARNs of resources with a policy, including policies that allow nothing. */
  readonly resources: ReadonlySet<string>;
}

/** The policy of a resource outside the templates. Its owner sets it. */
export interface GivenPolicy {
  readonly resource: string;
  readonly statements: readonly Omit<OwnedStatement, 'says' | 'owner' | 'name'>[];
}

export function readPolicies(account: Account, given: readonly GivenPolicy[] = []): Policies {
  const found = [...account.resources.flatMap((it) => READERS[it.type]?.(it) ?? []), ...given.map(ofOwner)];
  return {
    statements: found.flatMap(({ owner, says, name, document }) =>
      listOf(document.Statement).map((statement, at) => ({
        ...statement,
        says,
        owner,
        name: `${name} #${at + 1}`,
      })),
    ),
    resources: new Set(found.flatMap(({ owner, says }) => (says === 'resource' ? [owner] : []))),
  };
}

interface Found extends Pick<OwnedStatement, 'says' | 'owner' | 'name'> {
  readonly document: { readonly Statement: Plain | readonly Plain[] };
}
type Plain = Omit<OwnedStatement, 'says' | 'owner' | 'name'>;

const READERS: Readonly<Record<string, (resource: AccountResource) => Found[]>> = {
  'AWS::IAM::Role'(role) {
    const { AssumeRolePolicyDocument, Policies = [], ManagedPolicyArns = [] } = role.resolve(role.properties);
    const owned = { owner: role.arn, says: 'identity' } as const;
    return [
      { ...owned, says: 'trust', name: `${role.path}, trust`, document: AssumeRolePolicyDocument },
      ...Policies.map(({ PolicyDocument: document }: { PolicyDocument: Found['document'] }) => ({
        ...{ ...owned, name: role.path, document },
      })),
      ...ManagedPolicyArns.map((managed: string) => ({
        ...{ ...owned, name: `${role.path}, ${managed.split('/').at(-1)}`, document: managedPolicy(managed) },
      })),
    ];
  },
  'AWS::IAM::ManagedPolicy': ofRoles,
  'AWS::IAM::Policy': ofRoles,
  'AWS::KMS::Key'(key) {
    const { KeyPolicy: document } = key.resolve(key.properties);
    return [{ owner: key.arn, says: 'resource', name: `${key.path}, key policy`, document }];
  },
  'AWS::Lambda::Permission'(permission) {
    const { FunctionName, Action, Principal, SourceArn, SourceAccount, ...url } = permission.resolve(
      permission.properties,
    );
    const owner = FunctionName.startsWith('arn:') ? FunctionName : arn('lambda', `function:${FunctionName}`);
    const Condition = {
      ...(SourceArn && { ArnLike: { 'aws:SourceArn': SourceArn } }),
      ...(SourceAccount && { StringEquals: { 'aws:SourceAccount': SourceAccount } }),
      ...(url.FunctionUrlAuthType && {
        StringEquals: { 'lambda:FunctionUrlAuthType': url.FunctionUrlAuthType },
      }),
      ...(url.InvokedViaFunctionUrl && { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } }),
    };
    const who = Principal === '*' ? Principal : { Service: Principal };
    const Statement = { Effect: 'Allow', Action, Resource: owner, Principal: who, Condition } as const;
    return [{ owner, says: 'resource', name: permission.path, document: { Statement } }];
  },
  'AWS::SNS::TopicPolicy'(policy) {
    const { Topics, PolicyDocument: document } = policy.resolve(policy.properties);
    return Topics.map((owner: string) => ({ owner, says: 'resource', name: policy.path, document }));
  },
  'AWS::SQS::QueuePolicy'(policy) {
    const { Queues, PolicyDocument: document } = policy.resolve(policy.properties);
    return Queues.map((url: string) => ({
      ...{ owner: queueArnOf(url), says: 'resource', name: policy.path, document },
    }));
  },
};

function ofRoles(policy: AccountResource): Found[] {
  const { Roles = [], PolicyDocument: document } = policy.resolve(policy.properties);
  return Roles.map((name: string) => ({
    ...{ owner: arn('iam', `role/${name}`), says: 'identity', name: policy.path, document },
  }));
}

/** The permissions of the AWS managed policies that roles here use. */
function managedPolicy(managed: string): Found['document'] {
  if (!managed.endsWith('/AWSLambdaBasicExecutionRole'))
    throw new Error(`Unknown managed policy ${managed}: add its permissions to read-policies.ts.`);
  const Action = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
  return { Statement: { Effect: 'Allow', Action, Resource: '*' } };
}

function ofOwner({ resource, statements }: GivenPolicy): Found {
  return {
    owner: resource,
    says: 'resource',
    name: `policy of ${resource}`,
    document: { Statement: statements },
  };
}

/** SNS's policy for a topic without one. https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html */
export function defaultTopicPolicy(topic: string): OwnedStatement {
  return {
    ...{ says: 'resource', owner: topic, name: "a topic's default policy", Effect: 'Allow' },
    ...{ Principal: { AWS: '*' }, Action: 'sns:Publish', Resource: topic },
    Condition: { StringEquals: { 'AWS:SourceOwner': ACCOUNT } },
  };
}

function listOf<It>(value: It | readonly It[]): readonly It[] {
  return Array.isArray(value) ? value : [value as It];
}
