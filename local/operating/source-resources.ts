// Adds a source to a running deployment, or removes it. The schedule is created last and deleted first. Every step can
// be repeated: after an interruption, run the command again.
import type { MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { GetScheduleCommandOutput } from '@aws-sdk/client-scheduler';
import { deleteActivity } from '../../functions/adapters/dynamodb-activities.ts';
import type { TokenPlace } from '../../functions/adapters/ssm-source-directory.ts';
import { messageOf } from '../cli/failures.ts';
import { partOf } from './find-deployment.ts';
import type { Place } from './open-place.ts';
import {
  alarmLike,
  alarmName,
  checkTokenName,
  freshnessOf,
  type NewSource,
  parameterName,
  parameterText,
  resourceName,
  scheduleLike,
  sourceOfSchedule,
  wasAdded,
} from './plan-source.ts';

export interface SourceResources {
  /**
   * Adds the source, or changes one that was added before.
   *
   * @returns whether it has an alarm
   * @throws Error if the stack has the source, or its token does not exist
   * @throws UsageError if the poller may not read its token
   */
  add(source: NewSource): Promise<{ readonly hasAlarm: boolean }>;
  /** Removes the source and its activity; its state stays. @throws Error if it was not added by {@link add} */
  remove(source: string): Promise<void>;
  close(): void;
}

type Clients = Awaited<ReturnType<typeof createClients>>;

interface Feed {
  readonly path: string;
  readonly group: string;
}

/** @throws UsageError if the deployment does not name its path of sources or its group of schedules */
export async function openSourceResources({
  client,
  deployment,
}: Pick<Place, 'client' | 'deployment'>): Promise<SourceResources> {
  const feed: Feed = {
    path: partOf(deployment, 'sourcesPath'),
    group: partOf(deployment, 'schedules'),
  };
  const clients = await createClients();
  return {
    add: (source) => addSource(clients, feed, source),
    remove: (source) =>
      removeSource(clients, feed, source, () => deleteActivity(client, deployment.sources, source)),
    close: () => {
      for (const service of Object.values(clients)) service.client.destroy();
    },
  };
}

/** Loaded only for `sources add` and `sources remove`. */
async function createClients() {
  const [ssm, secrets, scheduler, cloudWatch] = await Promise.all([
    import('@aws-sdk/client-ssm'),
    import('@aws-sdk/client-secrets-manager'),
    import('@aws-sdk/client-scheduler'),
    import('@aws-sdk/client-cloudwatch'),
  ]);
  return {
    ssm: { client: new ssm.SSMClient(), ...ssm },
    secrets: { client: new secrets.SecretsManagerClient(), ...secrets },
    scheduler: { client: new scheduler.SchedulerClient(), ...scheduler },
    cloudWatch: { client: new cloudWatch.CloudWatchClient(), ...cloudWatch },
  };
}

/** Does not read the token: only the poller may. */
async function findTokenArn({ ssm, secrets }: Clients, token: TokenPlace): Promise<string> {
  if ('secretId' in token) {
    const command = new secrets.DescribeSecretCommand({ SecretId: token.secretId });
    const { ARN } = await secrets.client.send(command).catch((error: unknown) => {
      throw new Error(`There is no secret ${token.secretId}: ${messageOf(error)}`, { cause: error });
    });
    if (ARN === undefined) throw new Error(`The secret ${token.secretId} has no ARN.`);
    return ARN;
  }
  const ParameterFilters = [{ Key: 'Name', Option: 'Equals', Values: [token.parameter] }];
  const { Parameters } = await ssm.client.send(new ssm.DescribeParametersCommand({ ParameterFilters }));
  const [found] = Parameters ?? [];
  if (found?.ARN === undefined) throw new Error(`There is no parameter ${token.parameter}.`);
  if (found.Type !== 'SecureString')
    throw new Error(`The parameter ${token.parameter} is no SecureString: store the token encrypted.`);
  return found.ARN;
}

async function addSource(clients: Clients, feed: Feed, source: NewSource): Promise<{ hasAlarm: boolean }> {
  const { ssm, scheduler, cloudWatch } = clients;
  const { settings } = source;
  const { path, group } = feed;
  const known = await findParameter(clients, feed, settings.name);
  if (known !== undefined && !wasAdded(known))
    throw new Error(`The source "${settings.name}" is already defined in the stack: change it there.`);
  checkTokenName(path, source.token, await findTokenArn(clients, source.token));
  const like = await findSchedule(clients, feed, settings.name);
  const from = sourceOfSchedule(like) ?? '';
  const schedule = scheduleLike(like, settings);
  await ssm.client.send(
    new ssm.PutParameterCommand({
      Name: parameterName(path, settings.name),
      Description: `How source ${settings.name} is read`,
      Type: 'String',
      Value: parameterText(source),
      Overwrite: true,
    }),
  );
  const alarm = await findAlarm(clients, feed, from);
  if (alarm !== undefined)
    await cloudWatch.client.send(
      new cloudWatch.PutMetricAlarmCommand(alarmLike(alarm, { path, from, settings })),
    );
  const change = { ...schedule, GroupName: group };
  await scheduler.client.send(new scheduler.UpdateScheduleCommand(change)).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return scheduler.client.send(new scheduler.CreateScheduleCommand(change));
  });
  return { hasAlarm: alarm !== undefined };
}

/** @param forgetActivity a tick that is still running may write it once more, which does no harm */
async function removeSource(
  clients: Clients,
  feed: Feed,
  source: string,
  forgetActivity: () => Promise<void>,
): Promise<void> {
  const { ssm, scheduler, cloudWatch } = clients;
  const known = await findParameter(clients, feed, source);
  if (known === undefined || !wasAdded(known))
    throw new Error(
      `No source "${source}" was added with "sources add"; remove a source of the stack in the stack.`,
    );
  await scheduler.client
    .send(new scheduler.DeleteScheduleCommand({ GroupName: feed.group, Name: resourceName(source) }))
    .catch(ignoreMissing);
  await cloudWatch.client.send(
    new cloudWatch.DeleteAlarmsCommand({ AlarmNames: [alarmName(feed.path, source)] }),
  );
  await forgetActivity();
  // Delete the parameter last: it marks the source as added here.
  await ssm.client
    .send(new ssm.DeleteParameterCommand({ Name: parameterName(feed.path, source) }))
    .catch(ignoreMissing);
}

/** @returns the value of a source's parameter; undefined if there is none */
async function findParameter({ ssm }: Clients, { path }: Feed, source: string): Promise<string | undefined> {
  const command = new ssm.GetParameterCommand({ Name: parameterName(path, source) });
  try {
    return (await ssm.client.send(command)).Parameter?.Value ?? '';
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The schedule of another source, to copy. */
async function findSchedule(
  { scheduler }: Clients,
  { group: GroupName }: Feed,
  except: string,
): Promise<GetScheduleCommandOutput> {
  const { Schedules = [] } = await scheduler.client.send(new scheduler.ListSchedulesCommand({ GroupName }));
  for (const { Name } of Schedules) {
    const schedule = await scheduler.client.send(new scheduler.GetScheduleCommand({ GroupName, Name }));
    const source = sourceOfSchedule(schedule);
    if (source !== undefined && source !== except) return schedule;
  }
  throw new Error(
    `No schedule in the group ${GroupName} sends ticks of another source: there is none to copy.`,
  );
}

async function findAlarm(
  { cloudWatch }: Clients,
  { path }: Feed,
  source: string,
): Promise<MetricAlarm | undefined> {
  const { MetricAlarms } = await cloudWatch.client.send(
    new cloudWatch.DescribeAlarmsForMetricCommand(freshnessOf(path, source)),
  );
  return MetricAlarms?.[0];
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

const MISSING = new Set(['ResourceNotFoundException', 'ParameterNotFound']);

function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.has(error.name);
}
