// Who holds a lock file, and whether that process still lives. A process id says nothing outside of its own place:
// two containers on one volume both are process 1.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';

const lockHolder = z.object({
  /** The machine since it was started, and the set of process ids in it. */
  place: z.string(),
  host: z.string(),
  pid: z.number().int().positive(),
  /** When the process began, in the system's own terms; null where the system does not say. */
  began: z.string().nullable(),
  /** Names this one taking of the lock among all. */
  nonce: z.string(),
});

export type LockHolder = z.output<typeof lockHolder>;

/** What this process writes into a lock file. */
export function describeMyself(nonce: string): LockHolder {
  return { place: PLACE, host: hostname(), pid: process.pid, began: beginningOf(process.pid) ?? null, nonce };
}

/** @returns undefined for what no holder wrote, such as a file that is only half written */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    return lockHolder.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether the holder runs where its process id means something to this process. */
export function isHere({ place }: LockHolder): boolean {
  return place === PLACE;
}

/** Whether it lives; undefined where that can't be told from here, and only its heartbeat shows it. */
export function isAlive(holder: LockHolder): boolean | undefined {
  // With the id of this process: either one that is gone, or one in another container that looks the same.
  if (!isHere(holder) || holder.pid === process.pid) return undefined;
  if (!isProcess(holder.pid)) return false;
  const began = beginningOf(holder.pid);
  return holder.began === null || began === undefined || began === holder.began;
}

/** Whether there is a process with this id, whoever owns it. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const PLACE = [
  hostname(),
  attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '',
  attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '',
].join(' ');

/** In clock ticks since the machine was started (proc(5), field 22 of `stat`); undefined where there is no /proc. */
function beginningOf(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses, which may hold anything.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
