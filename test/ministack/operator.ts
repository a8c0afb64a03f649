// A person with exactly the rights that SECURITY.md lists for a command.
import { randomUUID } from 'node:crypto';
import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  IAMClient,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { type Ended, runFeed } from '../local/cli/run-feed.ts';
import type { OperatorStatement } from '../runbook/read-operators.ts';

const iam = new IAMClient();

/** Runs a command of `returns-feed`. @param words from its name on */
export async function runAsOperator(
  words: readonly string[],
  Statement: readonly OperatorStatement[],
): Promise<Ended> {
  const UserName = `operator-${randomUUID()}`;
  await iam.send(new CreateUserCommand({ UserName }));
  const statements = Statement.filter(({ Action }) => Action.length > 0);
  await iam.send(
    new PutUserPolicyCommand({
      ...{ UserName, PolicyName: 'listed' },
      PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: statements }),
    }),
  );
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const { AccessKeyId: AWS_ACCESS_KEY_ID = '', SecretAccessKey: AWS_SECRET_ACCESS_KEY = '' } =
    AccessKey ?? {};
  return runFeed(words, { environment: { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } });
}
