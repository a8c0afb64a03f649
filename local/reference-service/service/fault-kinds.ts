/** The faults of an answer; faults.ts implements them. */
export const FAULT_KINDS = [
  '500-json',
  '500-html',
  '502-html',
  '503-json',
  '503-retry-after',
  '429',
  '429-retry-after',
  '429-date',
  'reset',
  'reset-midway',
  'hang',
  'slow',
  'truncated',
  'not-json',
  'html',
  'empty',
  'date-missing',
  'date-skewed',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];
