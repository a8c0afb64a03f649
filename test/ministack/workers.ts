// The processes in which MiniStack runs functions. Their directories have the functions' names.
import { execFileSync } from 'node:child_process';

/** Ends all processes of functions with SIGKILL. */
export function killWorkers(functionNames: readonly string[]): void {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  for (const line of listed.split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/, 2);
    const runs = (name: string) => line.includes(`ministack-lambda-${name}-`);
    if (parent === process.env.MINISTACK_PID && functionNames.some(runs)) kill(Number(pid));
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
