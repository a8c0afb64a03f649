// What a source of a running deployment is made of, as the construct makes it: a parameter, a schedule and an alarm. The
// poller may read it already, by the names of the parameter and of the token's place (decision 18). Schedule and alarm are copied from a source
// that is there, so that they go where its go. Pure: what is made of it is up to source-resources.ts.
import type { MetricAlarm, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { CreateScheduleCommandInput, GetScheduleCommandOutput } from '@aws-sdk/client-scheduler';
import * as z from 'zod';
import type { TokenPlace } from '../../functions/adapters/ssm-source-directory.ts';
import { freshnessAlarm, METRICS, METRICS_NAMESPACE } from '../../shared/deployment/metrics.ts';
import { tokenNames } from '../../shared/deployment/token-names.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import { UsageError } from '../cli/failures.ts';

/** As given; what is left out is left to the poller's defaults. */
export type GivenSettings = Pick<SourceSettings, 'name' | 'baseUrl'> & Partial<SourceSettings>;

export interface NewSource {
  readonly settings: GivenSettings;
  readonly token: TokenPlace;
}

const DEFAULT_INTERVAL_MS = 60_000;

/** Of a schedule. */
export function resourceName(source: string): string {
  return `source-${source}`;
}

export function parameterName(path: string, source: string): string {
  return `${path}/${source}`;
}

/** As the construct writes it, and with a mark that tells it from the stack's. */
export function parameterText({ settings, token }: NewSource): string {
  return JSON.stringify({ settings, token, added: true });
}

const addedSource = z.looseObject({ added: z.literal(true) });

/** Whether a source's parameter was made by {@link parameterText}. */
export function wasAdded(parameter: string): boolean {
  try {
    return addedSource.safeParse(JSON.parse(parameter)).success;
  } catch {
    return false;
  }
}

/**
 * Where the token is, if the poller may read it there: its role names the feed's own names alone.
 *
 * @param arn of the secret or the parameter
 * @throws UsageError that says how it has to be named
 */
export function checkTokenName(path: string, token: TokenPlace, arn: string): void {
  const { ofSecrets, ofParameters } = tokenNames(serviceOf(path));
  const [isReadable, name] =
    'secretId' in token
      ? [arn.includes(`:secret:${ofSecrets}`), ofSecrets]
      : [arn.includes(`:parameter${ofParameters}`), ofParameters];
  if (isReadable) return;
  const given = 'secretId' in token ? token.secretId : token.parameter;
  throw new UsageError(
    `The poller may not read ${given}: the name of the token's place must begin with ${name}, for instance ${name}acme.`,
  );
}

const tickInput = z.looseObject({ source: z.string() });

/** @returns the source that a schedule sends ticks of; undefined for a schedule of something else */
export function sourceOfSchedule({ Target }: GetScheduleCommandOutput): string | undefined {
  try {
    return tickInput.safeParse(JSON.parse(Target?.Input ?? '')).data?.source;
  } catch {
    return undefined;
  }
}

/** @param like the schedule of another source */
export function scheduleLike(
  like: GetScheduleCommandOutput,
  { name, intervalMs = DEFAULT_INTERVAL_MS }: GivenSettings,
): CreateScheduleCommandInput {
  const { Target, GroupName } = like;
  if (Target?.Arn === undefined || Target.RoleArn === undefined)
    throw new Error(`The schedule ${like.Name} has no target to be copied.`);
  const minutes = Math.max(1, Math.round(intervalMs / 60_000));
  const input = { ...tickInput.parse(JSON.parse(Target.Input ?? '')), source: name };
  return {
    Name: resourceName(name),
    GroupName,
    Description: `Ticks of source ${name}`,
    ScheduleExpression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`,
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { ...Target, Arn: Target.Arn, RoleArn: Target.RoleArn, Input: JSON.stringify(input) },
  };
}

/** The dimensions that a source's freshness is measured under. */
export function freshnessOf(path: string, source: string) {
  return {
    Namespace: METRICS_NAMESPACE,
    MetricName: METRICS.secondsBehind,
    Dimensions: [
      { Name: 'service', Value: serviceOf(path) },
      { Name: 'source', Value: source },
    ],
  };
}

export function alarmName(path: string, source: string): string {
  return `${serviceOf(path)}-Freshness-${source}`;
}

/** @param like the alarm of another source */
export function alarmLike(
  like: MetricAlarm,
  {
    path,
    from,
    settings,
  }: { readonly path: string; readonly from: string; readonly settings: GivenSettings },
): PutMetricAlarmCommandInput {
  const { name, intervalMs = DEFAULT_INTERVAL_MS } = settings;
  const { periodSeconds, evaluationPeriods, threshold } = freshnessAlarm(intervalMs / 1_000);
  return {
    ...freshnessOf(path, name),
    AlarmName: alarmName(path, name),
    AlarmDescription: like.AlarmDescription?.replaceAll(` ${from} `, ` ${name} `),
    AlarmActions: like.AlarmActions,
    OKActions: like.OKActions,
    Statistic: like.Statistic,
    ComparisonOperator: like.ComparisonOperator,
    TreatMissingData: 'breaching',
    Period: periodSeconds,
    EvaluationPeriods: evaluationPeriods,
    Threshold: threshold,
  };
}

/** A feed's parameters are below `/<service>/sources`. */
function serviceOf(path: string): string {
  return path.split('/')[1] ?? '';
}
