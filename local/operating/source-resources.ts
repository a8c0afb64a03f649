// A source that is added to a running deployment, or taken out again. What polls it is made last and removed first; each
// step may be done again, so whoever is interrupted does it once more.
import type { MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { GetScheduleCommandOutput } from '@aws-sdk/client-scheduler';
import type { TokenPlace } from '../../functions/adapters/ssm-source-directory.ts';
import { type Deployment, partOf } from './find-deployment.ts';
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
   * @returns whether there is an alarm for it
   * @throws Error where the stack has it, or the poller may not read its token
   */
  add(source: NewSource): Promise<{ readonly hasAlarm: boolean }>;
  /** @throws Error where it was not added like this */
  remove(source: string): Promise<void>;
  close(): void;
}

type Clients = Awaited<ReturnType<typeof createClients>>;

interface Feed {
  readonly path: string;
  readonly group: string;
}

/** @throws UsageError where the deployment does not name what it takes */
export async function openSourceResources(deployment: Deployment): Promise<SourceResources> {
  const feed: Feed = {
    path: partOf(deployment, 'sourcesPath'),
    group: partOf(deployment, 'schedules'),
  };
  const clients = await createClients();
  return {
    add: (source) => addSource(clients, feed, source),
    remove: (source) => removeSource(clients, feed, source),
    close: () => {
      for (const { client } of Object.values(clients)) client.destroy();
    },
  };
}

/** Only who adds or removes pays for loading these. */
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

/** Without reading the token: that is the poller's alone. */
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
    throw new Error(
      `The parameter ${token.parameter} is no SecureString: a token must not lie about in the clear.`,
    );
  return found.ARN;
}

async function addSource(clients: Clients, feed: Feed, source: NewSource): Promise<{ hasAlarm: boolean }> {
  const { ssm, scheduler, cloudWatch } = clients;
  const { settings } = source;
  const { path, group } = feed;
  const known = await findParameter(clients, feed, settings.name);
  if (known !== undefined && !wasAdded(known))
    throw new Error(`There is a source "${settings.name}" already, in the stack: change it there.`);
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

async function removeSource(clients: Clients, feed: Feed, source: string): Promise<void> {
  const { ssm, scheduler, cloudWatch } = clients;
  const known = await findParameter(clients, feed, source);
  if (known === undefined || !wasAdded(known))
    throw new Error(
      `No source "${source}" was added with "sources add"; what the stack has is removed there.`,
    );
  await scheduler.client
    .send(new scheduler.DeleteScheduleCommand({ GroupName: feed.group, Name: resourceName(source) }))
    .catch(ignoreMissing);
  await cloudWatch.client.send(
    new cloudWatch.DeleteAlarmsCommand({ AlarmNames: [alarmName(feed.path, source)] }),
  );
  // It tells that the source was added here, so it goes last.
  await ssm.client
    .send(new ssm.DeleteParameterCommand({ Name: parameterName(feed.path, source) }))
    .catch(ignoreMissing);
}

/** @returns what is in a source's parameter; undefined where there is none */
async function findParameter({ ssm }: Clients, { path }: Feed, source: string): Promise<string | undefined> {
  const command = new ssm.GetParameterCommand({ Name: parameterName(path, source) });
  try {
    return (await ssm.client.send(command)).Parameter?.Value ?? '';
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The schedule of some other source, to be copied. */
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
    `No schedule in the group ${GroupName} sends ticks of a source: there is none to be copied.`,
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
