import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

export interface AlarmOptions {
  readonly metric: cloudwatch.IMetric;
  /** One sentence: the affected people, and the effect on them. */
  readonly hurts: string;
  /** The anchor of the alarm's section in docs/runbook.md. */
  readonly anchor: string;
  readonly threshold: number;
  /** Whether values below the threshold set it off, instead of those from it on. */
  readonly isBelow?: boolean;
  readonly evaluationPeriods?: number;
  /** @default evaluationPeriods */
  readonly datapointsToAlarm?: number;
  readonly missingData?: cloudwatch.TreatMissingData;
  /** Actions besides the one that all alarms share. */
  readonly actions?: readonly cloudwatch.IAlarmAction[];
}

/** The settings that all alarms of a feed share. */
export interface AlarmDefaults {
  readonly alarmAction: cloudwatch.IAlarmAction | undefined;
  readonly runbookUrl: string;
}

/** Creates an alarm. Its description names the affected people and links a section of the runbook. */
export function createAlarm(
  scope: Construct,
  id: string,
  { alarmAction, runbookUrl }: AlarmDefaults,
  { metric, hurts, anchor, threshold, isBelow = false, actions = [], ...options }: AlarmOptions,
): void {
  const alarm = createThresholdAlarm(scope, id, {
    ...{ metric, threshold },
    alarmDescription: `${hurts} ${runbookUrl}#${anchor}`,
    evaluationPeriods: options.evaluationPeriods ?? 1,
    ...(options.datapointsToAlarm && { datapointsToAlarm: options.datapointsToAlarm }),
    ...(options.missingData && { treatMissingData: options.missingData }),
    ...(isBelow && { comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD }),
  });
  const all = [...(alarmAction === undefined ? [] : [alarmAction]), ...actions];
  if (all.length === 0) return;
  alarm.addAlarmAction(...all);
  alarm.addOkAction(...all);
}

type Optional<Props, Key extends keyof Props> = Omit<Props, Key> & Partial<Pick<Props, Key>>;

/** Creates an alarm without actions, which goes off at the threshold; without data it does not, unless the props say so. */
export function createThresholdAlarm(
  scope: Construct,
  id: string,
  props: Optional<cloudwatch.AlarmProps, 'comparisonOperator'>,
): cloudwatch.Alarm {
  return new cloudwatch.Alarm(scope, id, {
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    ...props,
  });
}
