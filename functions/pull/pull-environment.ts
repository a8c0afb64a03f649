// The environment variables of the function that serves the pull feed.
import * as z from 'zod';
import { environmentParser } from '../adapters/parse-environment.ts';

const text = z.string().min(1);

const pullEnvironment = z.object({
  LEDGER_TABLE: text,
  MARKS_TABLE: text,
  SNAPSHOTS_TABLE: text,
  SOURCES_TABLE: text,
});

export const parsePullEnvironment = environmentParser("The pull feed's environment", pullEnvironment);
