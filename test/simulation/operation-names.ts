// What an operator may do in a run, and when.
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
