import { spawnSync } from 'node:child_process';

/** The id of the one process of this program that has the text in its arguments. @throws Error if it is not one */
export function findProcess(program: RegExp, text: string): number {
  const { stdout } = spawnSync('ps', ['-Awwo', 'pid=,args='], { encoding: 'utf8' });
  const found = stdout.split('\n').flatMap((line) => {
    const [, pid, path = ''] = /^ *(\d+) (\S+)/.exec(line) ?? [];
    return line.includes(text) && program.test(path) ? [Number(pid)] : [];
  });
  const [pid] = found;
  if (pid === undefined || found.length > 1) throw new Error(`${found.length} processes have ${text}.`);
  return pid;
}
