// The options of `export` that select what is exported.
import { type Command, InvalidArgumentError } from 'commander';
import { EXPORTED_KINDS, type ExportFilter } from '../operating/export-groups.ts';
import { meantStatus } from './listed-statuses.ts';
import { parseMoment } from './parse-moment.ts';
import { didYouMean } from './suggest.ts';

export function addExportOptions(command: Command): Command {
  return command
    .option('--since <time>', 'only returns that were updated since: 24h, or an ISO 8601 time', parseMoment)
    .option('--type <kinds>', `only these, separated by commas: ${EXPORTED_KINDS.join(', ')}`, parseKinds)
    .option(
      '--status <statuses>',
      'only entities with one of these statuses, separated by commas',
      parseStatuses,
    );
}

export interface ExportFlags extends Pick<ExportFilter, 'since'> {
  readonly type?: readonly string[];
  readonly status?: readonly string[];
}

function parseKinds(text: string): readonly string[] {
  const known: readonly string[] = EXPORTED_KINDS;
  return listed(text, (kind) =>
    known.includes(kind)
      ? undefined
      : `There is no kind "${kind}".${didYouMean(kind, known)} Kinds: ${known.join(', ')}.`,
  );
}

function parseStatuses(text: string): readonly string[] {
  return listed(text, (status) => {
    const meant = meantStatus(status);
    return meant && `There is no status "${status}". Did you mean "${meant}"?`;
  });
}

function listed(text: string, problemOf: (part: string) => string | undefined): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  for (const problem of parts.map(problemOf)) if (problem) throw new InvalidArgumentError(problem);
  return parts;
}
