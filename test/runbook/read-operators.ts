// SECURITY.md's table of operators: the permissions for each command, as policy statements.
import { readFileSync } from 'node:fs';
import type { Statement } from '../infra/edges/policies.ts';

export interface OperatorStatement extends Statement {
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
}

interface Row {
  /** The beginnings of commands, for instance `sources add`. Empty: every command of `returns-feed`. */
  readonly commands: readonly string[];
  /** A further text that the command must contain. */
  readonly flag: string | undefined;
  /** Another command; its rows apply as well. */
  readonly like: string | undefined;
  readonly statement: OperatorStatement;
}

export interface Operators {
  readonly statements: readonly OperatorStatement[];
  /** The statements of all rows for a command. @param words from its name on, without `npx --no returns-feed` */
  statementsFor(words: readonly string[]): readonly OperatorStatement[];
}

/** @param resourcesOf ARNs by the table's names; throws for an unknown name */
export function readOperators(resourcesOf: (name: string) => readonly string[]): Operators {
  const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  const [, section = ''] = /^### Operators$(.*?)^#/ms.exec(page) ?? [];
  let before: Pick<Row, 'commands' | 'flag'> = { commands: [], flag: undefined };
  const rows = [...section.matchAll(/^\| (?:(.*?) )?\| (.*?`.*?) \| (.*?) \|$/gm)].map(
    ([, who = '', actions = '', on = '']): Row => {
      const [commands = '', flag] = who.split(' with ');
      if (who.startsWith('any')) before = { commands: [], flag: undefined };
      else if (who !== '') before = { commands: codesOf(commands), flag: codesOf(flag ?? '')[0] };
      return {
        ...before,
        like: /as `([^`]+)`/.exec(actions)?.[1],
        statement: {
          Effect: 'Allow',
          Action: codesOf(actions).filter((it) => it.includes(':')),
          Resource: resourcesOf(on),
        },
      };
    },
  );
  function rowsFor(command: string): Row[] {
    const own = rows.filter(({ commands, flag = '' }) =>
      commands.length === 0
        ? !command.startsWith('aws ')
        : command.includes(flag) && commands.some((name) => `${command} `.startsWith(`${name} `)),
    );
    return own.flatMap((row) => (row.like === undefined ? [row] : [row, ...rowsFor(row.like)]));
  }
  return {
    statements: rows.map(({ statement }) => statement),
    statementsFor: (words) => [...new Set(rowsFor(words.join(' ')).map(({ statement }) => statement))],
  };
}

function codesOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
