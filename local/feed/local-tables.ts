import type { TableNames } from '../../shared/deployment/tables.ts';

/** The names of the tables on this machine. */
export const LOCAL_TABLES: TableNames = {
  snapshots: 'returns-feed-snapshots',
  ledger: 'returns-feed-ledger',
  marks: 'returns-feed-marks',
  sources: 'returns-feed-sources',
};
