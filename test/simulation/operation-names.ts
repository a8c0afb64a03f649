// The operator's commands in a run, and their times.
export const OPERATION_NAMES = [
  'replay',
  'replay from',
  'redrive',
  'redrive and skip',
  'forget',
  'restore',
  'upgrade',
] as const;

export type OperationName = (typeof OPERATION_NAMES)[number];

export interface Operation {
  readonly what: OperationName;
  readonly atMs: number;
}
