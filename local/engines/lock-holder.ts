// Describes the process that holds a lock file, and checks whether it is alive. A process id is only meaningful in its
// own place: in two containers on one volume, both processes have id 1.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';
import { errorCode } from '../../test/engines/engine-error.ts';

const lockHolder = z.object({
  /** The machine, its boot and its namespace of process ids. */
  place: z.string(),
  host: z.string(),
  pid: z.number().int().positive(),
  /** Start time of the process, in the system's unit; null if the system does not provide it. */
  began: z.string().nullable(),
  /** Unique for each time that the lock is taken. */
  nonce: z.string(),
  /** Whether it releases the directory when a `watch` asks for it: every command does but `watch`. */
  yields: z.boolean().catch(false),
  /** Where its engine serves the tables; absent until the engine runs. */
  endpoint: z
    .string()
    .regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/)
    .optional()
    .catch(undefined),
});

export type LockHolder = z.output<typeof lockHolder>;

/** The description of this process for a lock file. */
export function describeMyself(nonce: string, yields = false): LockHolder {
  const began = beginningOf(process.pid) ?? null;
  return { place: PLACE, host: hostname(), pid: process.pid, began, nonce, yields };
}

/** @returns undefined for an invalid text, such as a half-written file */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    return lockHolder.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether the holder runs in this process's place, where its process id is meaningful. */
export function isHere({ place }: LockHolder): boolean {
  return place === PLACE;
}

/** Whether the holder is alive; undefined if only its heartbeat can show that. */
export function isAlive(holder: LockHolder): boolean | undefined {
  // The id of this process: the holder is gone, or it runs in another container that looks the same.
  if (!isHere(holder) || holder.pid === process.pid) return undefined;
  if (!isProcess(holder.pid)) return false;
  const began = beginningOf(holder.pid);
  return holder.began === null || began === undefined || began === holder.began;
}

/** Whether a process with this id exists, of any owner. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

const PLACE = [
  hostname(),
  attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '',
  attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '',
].join(' ');

/** In clock ticks since the boot (proc(5), field 22 of `stat`); undefined without /proc. */
function beginningOf(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses, which may contain any characters.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
