// Processor time and memory of a process and of all that it started, from /proc. Zero where there is none.
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMb: number;
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export function usageOf(pid: number): Usage {
  const all = readAll();
  const family = [pid];
  for (const parent of family) family.push(...all.flatMap((one) => (one.parent === parent ? one.pid : [])));
  const members = all.filter((one) => family.includes(one.pid));
  return {
    cpuSeconds: members.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    residentMb: members.reduce((sum, { residentKb }) => sum + residentKb, 0) / 1024,
  };
}

/**
 * Milliseconds since the start of the machine in which something waited for a processor (Linux's pressure stall
 * information); undefined where it is not known.
 */
export function processorWaitMs(): number | undefined {
  try {
    const total = /some .*total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return total === undefined ? undefined : Number(total) / 1_000;
  } catch {
    return undefined;
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
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
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return [
      {
        pid,
        parent: Number(fields[1]),
        ticks: Number(fields[11]) + Number(fields[12]),
        residentKb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0),
      },
    ];
  } catch {
    return [];
  }
}
