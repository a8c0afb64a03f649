// Adds a source to a running deployment, or removes it. The schedule is created last and deleted first. Every step can
// be repeated: after an interruption, run the command again.
import type { GetScheduleCommandOutput } from '@aws-sdk/client-scheduler';
import type { ParameterMetadata } from '@aws-sdk/client-ssm';
import { deleteActivity } from '../../functions/adapters/dynamodb-activities.ts';
import { listStoredSources, type TokenPlace } from '../../functions/adapters/ssm-source-directory.ts';
import { serviceOf, sourcePaths } from '../../shared/deployment/token-names.ts';
import { messageOf } from '../cli/failures.ts';
import { type Deployment, partOf } from './find-deployment.ts';
import type { DeployedFeed } from './open-deployment.ts';
import {
  alarmLike,
  alarmName,
  checkBudgets,
  checkTokenName,
  freshnessOf,
  type NewSource,
  parameterName,
  parameterText,
  resourceName,
  scheduleLike,
  sourceOfSchedule,
} from './plan-source.ts';

/**
 * Adds the source, or changes one that was added before.
 *
 * @returns whether it has an alarm
 * @throws Error if the stack has the source, or its token does not exist
 * @throws UsageError if the poller does not send its token to its address, or sources with the same token have too large budgets
 */
export function addSource(feed: DeployedFeed, source: NewSource): Promise<{ readonly hasAlarm: boolean }> {
  return withAws(feed, async (aws) => {
    const { ssm, scheduler, cloudWatch, path, GroupName } = aws;
    const { settings } = source;
    if (await hasParameter(aws, sourcePaths(serviceOf(path)).ofStack, settings.name))
      throw new Error(`The source "${settings.name}" is already defined in the stack: change it there.`);
    const arn = await findTokenArn(aws, source.token);
    checkTokenName(path, source, arn);
    checkBudgets(source, arn, await listStoredSources({ client: ssm, path }));
    const like = await findSchedule(aws, settings.name);
    const from = sourceOfSchedule(like) ?? '';
    const change = { ...scheduleLike(like, settings), GroupName };
    await ssm.putParameter({
      Name: parameterName(path, settings.name),
      Description: `How source ${settings.name} is read`,
      Type: 'String',
      Value: parameterText(source),
      Overwrite: true,
    });
    const { MetricAlarms } = await cloudWatch.describeAlarmsForMetric(freshnessOf(path, from));
    const alarm = MetricAlarms?.[0];
    if (alarm !== undefined) await cloudWatch.putMetricAlarm(alarmLike(alarm, { path, from, settings }));
    await scheduler.updateSchedule(change).catch((error: unknown) => {
      ignoreMissing(error);
      return scheduler.createSchedule(change);
    });
    return { hasAlarm: alarm !== undefined };
  });
}

/** Removes the source and its activity; its state stays. @throws Error if it was not added by {@link addSource} */
export function removeSource(feed: DeployedFeed, source: string): Promise<void> {
  return withAws(feed, async (aws) => {
    const { ssm, scheduler, cloudWatch, path, GroupName } = aws;
    if (!(await hasParameter(aws, path, source)))
      throw new Error(
        `No source "${source}" was added with "sources add"; remove a source of the stack in the stack.`,
      );
    await scheduler.deleteSchedule({ GroupName, Name: resourceName(source) }).catch(ignoreMissing);
    await cloudWatch.deleteAlarms({ AlarmNames: [alarmName(path, source)] });
    // A tick that is still running may write it once more, which does no harm.
    await deleteActivity(feed.client, feed.deployment.sources, source);
    // Delete the parameter last: it shows that the source was added.
    await ssm.deleteParameter({ Name: parameterName(path, source) }).catch(ignoreMissing);
  });
}

async function withAws<Result>(
  { deployment }: DeployedFeed,
  work: (aws: Aws) => Promise<Result>,
): Promise<Result> {
  const aws = await openAws(deployment);
  return work(aws).finally(() => {
    for (const client of [aws.ssm, aws.secrets, aws.scheduler, aws.cloudWatch]) client.destroy();
  });
}

/** @throws UsageError if the deployment does not name its path of sources or its group of schedules */
async function openAws(deployment: Deployment) {
  const path = sourcePaths(partOf(deployment, 'feedName')).added;
  const GroupName = partOf(deployment, 'schedules');
  // Loaded only for `sources add` and `sources remove`.
  const [{ SSM }, { SecretsManager }, { Scheduler }, { CloudWatch }] = await Promise.all([
    import('@aws-sdk/client-ssm'),
    import('@aws-sdk/client-secrets-manager'),
    import('@aws-sdk/client-scheduler'),
    import('@aws-sdk/client-cloudwatch'),
  ]);
  const clients = { ssm: new SSM(), secrets: new SecretsManager(), scheduler: new Scheduler() };
  return { ...clients, cloudWatch: new CloudWatch(), path, GroupName };
}

type Aws = Awaited<ReturnType<typeof openAws>>;

/** Does not read the token: only the poller may. */
async function findTokenArn({ ssm, secrets }: Aws, token: TokenPlace): Promise<string> {
  if ('secretId' in token) {
    const { secretId: SecretId } = token;
    const { ARN } = await secrets.describeSecret({ SecretId }).catch((error: unknown) => {
      throw new Error(`The secret ${SecretId} can't be found or described: ${messageOf(error)}`, {
        cause: error,
      });
    });
    if (ARN === undefined) throw new Error(`The secret ${SecretId} has no ARN.`);
    return ARN;
  }
  const ParameterFilters = [{ Key: 'Name', Option: 'Equals', Values: [token.parameter] }];
  let found: ParameterMetadata | undefined;
  // A page may be empty although a later one has the parameter.
  for await (const { Parameters = [] } of ssm.paginateDescribeParameters({ ParameterFilters }))
    found ??= Parameters[0];
  if (found?.ARN === undefined) throw new Error(`There is no parameter ${token.parameter}.`);
  if (found.Type !== 'SecureString')
    throw new Error(`The parameter ${token.parameter} is no SecureString: store the token encrypted.`);
  return found.ARN;
}

async function hasParameter({ ssm }: Aws, path: string, source: string): Promise<boolean> {
  return (await ssm.getParameter({ Name: parameterName(path, source) }).catch(ignoreMissing)) !== undefined;
}

/** The schedule of another source, to copy. */
async function findSchedule(
  { scheduler, GroupName }: Aws,
  except: string,
): Promise<GetScheduleCommandOutput> {
  for await (const { Schedules = [] } of scheduler.paginateListSchedules({ GroupName }))
    for (const { Name } of Schedules) {
      const schedule = await scheduler.getSchedule({ GroupName, Name });
      const source = sourceOfSchedule(schedule);
      if (source !== undefined && source !== except) return schedule;
    }
  throw new Error(
    `No schedule in the group ${GroupName} sends ticks of another source: there is none to copy.`,
  );
}

const MISSING = new Set(['ResourceNotFoundException', 'ParameterNotFound']);

/** @throws the error, if it is another one than that something is missing */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && MISSING.has(error.name))) throw error;
}
