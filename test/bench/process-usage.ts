// Processor time, memory and waiting of a process and of all that it started, from /proc. Zero where there is none.
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  readonly cpuSeconds: number;
  /** Time in which the processes could run, but had no processor; of all of them together. */
  readonly waitSeconds: number;
  readonly residentMb: number;
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export function usageOf(pid: number | undefined): Usage {
  const all = readAll();
  const family = pid === undefined ? [] : [pid];
  for (const parent of family) family.push(...all.flatMap((one) => (one.parent === parent ? one.pid : [])));
  const members = all.filter((one) => family.includes(one.pid));
  return {
    cpuSeconds: members.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    waitSeconds: members.reduce((sum, { waitNs }) => sum + waitNs, 0) / 1e9,
    residentMb: members.reduce((sum, { residentKb }) => sum + residentKb, 0) / 1024,
  };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  readonly waitNs: number;
  readonly residentKb: number;
}

function readAll(): Process[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readOne(Number(name)));
  } catch {
    return [];
  }
}

/** Nothing if the process has ended meanwhile. */
function readOne(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the bracket may hold spaces; fields 14 and 15 of the manual are the two times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // The second number is the main thread's wait. https://docs.kernel.org/scheduler/sched-stats.html
    const [, waitNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return [
      {
        pid,
        parent: Number(fields[1]),
        ticks: Number(fields[11]) + Number(fields[12]),
        waitNs: Number(waitNs),
        residentKb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0),
      },
    ];
  } catch {
    return [];
  }
}
