// Plans the resources of a source that is added to a running deployment, as the construct creates them: a parameter, a
// schedule and an alarm. The names of the parameter and of the token let the poller read them (decision 18). Schedule
// and alarm are copies of an existing source's, so that they have the same targets. Pure: source-resources.ts applies
// the plan.
import type { MetricAlarm, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { CreateScheduleCommandInput, GetScheduleCommandOutput } from '@aws-sdk/client-scheduler';
import * as z from 'zod';
import type { StoredSource, TokenPlace } from '../../functions/adapters/ssm-source-directory.ts';
import { freshnessAlarm, METRICS, METRICS_NAMESPACE } from '../../shared/deployment/metrics.ts';
import { isTokenFor, serviceOf, tokenNamesFor } from '../../shared/deployment/token-names.ts';
import { parseJson } from '../../shared/parse-json.ts';
import {
  DEFAULT_INTERVAL_MS,
  problemOfBudgets,
  type sourceSettings,
} from '../../shared/source/source-settings.ts';
import { UsageError } from '../cli/failures.ts';

/** The given settings; the poller's defaults replace the missing ones. */
export type GivenSettings = z.input<typeof sourceSettings>;

export interface NewSource {
  readonly settings: GivenSettings;
  readonly token: TokenPlace;
}

/** The name of the source's schedule. */
export function resourceName(source: string): string {
  return `source-${source}`;
}

export function parameterName(path: string, source: string): string {
  return `${path}/${source}`;
}

/** The parameter's value as the construct writes it. */
export function parameterText({ settings, token }: NewSource): string {
  return JSON.stringify({ settings, token });
}

/**
 * Checks that the poller will send the token to the source's address: the token's name contains the host.
 *
 * @param arn of the secret or the parameter
 * @throws UsageError that says how the name must begin
 */
export function checkTokenName(path: string, { settings, token }: NewSource, arn: string): void {
  const names = tokenNamesFor(serviceOf(path), settings.baseUrl);
  if (isTokenFor(names, 'secretId' in token ? { secretId: arn } : { parameter: arn })) return;
  const [given, prefix] =
    'secretId' in token ? [token.secretId, names.ofSecrets] : [token.parameter, names.ofParameters];
  throw new UsageError(
    `The poller does not send ${given} to ${settings.baseUrl}: the token's name must begin with ${prefix}, for ` +
      `instance ${prefix}acme.`,
  );
}

/**
 * Checks the sum of the budgets of all sources with one token.
 *
 * @param arn of the source's token
 * @param others the configured sources; the source itself may be among them
 */
export function checkBudgets({ settings }: NewSource, arn: string, others: readonly StoredSource[]): void {
  const sharing = others.filter(
    (other) => other.settings.name !== settings.name && isTokenAt(other.token, arn),
  );
  const problem = problemOfBudgets([settings, ...sharing.map((other) => other.settings)]);
  if (problem !== undefined) throw new UsageError(problem);
}

/** Whether a token that is named by its name or its ARN, which may lack the secret's suffix, has this ARN. */
function isTokenAt(token: TokenPlace, arn: string): boolean {
  if ('parameter' in token)
    return token.parameter === arn || arn.endsWith(`:parameter/${token.parameter.replace(/^\//, '')}`);
  const withoutSuffix = arn.replace(/-[A-Za-z0-9]{6}$/, '');
  return [arn, withoutSuffix].some(
    (each) => token.secretId === each || each.endsWith(`:secret:${token.secretId}`),
  );
}

const tickInput = z.looseObject({ source: z.string() });

/** @returns the source whose ticks a schedule sends; undefined for any other schedule */
export function sourceOfSchedule({ Target }: GetScheduleCommandOutput): string | undefined {
  return tickInput.safeParse(parseJson(Target?.Input ?? '')).data?.source;
}

/** @param like the schedule of another source */
export function scheduleLike(
  like: GetScheduleCommandOutput,
  { name, intervalMs = DEFAULT_INTERVAL_MS }: GivenSettings,
): CreateScheduleCommandInput {
  const { Target, GroupName } = like;
  if (Target?.Arn === undefined || Target.RoleArn === undefined)
    throw new Error(`The schedule ${like.Name} has no target to copy.`);
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

/** The metric and dimensions of a source's freshness. */
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
  of: { readonly path: string; readonly from: string; readonly settings: GivenSettings },
): PutMetricAlarmCommandInput {
  const { path, from, settings } = of;
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
