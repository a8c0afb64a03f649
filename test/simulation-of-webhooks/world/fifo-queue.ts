// A FIFO queue as SQS documents it: while a message of a group is hidden, no later one of it is received; a receipt
// counts until the message shows again; a message can be hidden for 12 hours after its receive; it is kept for 14 days;
// a repeated id is dropped for five minutes.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
import { DAY, HOUR, type Instant, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';

export interface Message {
  readonly messageGroup: string;
  readonly deduplicationId: string;
  readonly key: GroupKey;
  readonly sequence: number;
}

export interface Received {
  readonly message: Message;
  readonly receipt: number;
  /** The receive count, including this receive. */
  readonly receives: number;
}

export interface FifoQueue {
  send(message: Message): void;
  receive(): Received | undefined;
  /** When a message can be received next; undefined if there is none. */
  nextAt(): Instant | undefined;
  /** @returns whether the receipt was still valid */
  delete(received: Received): boolean;
  /** @returns `refused` beyond 12 hours after the receive */
  hide(received: Received, seconds: number): 'hidden' | 'too late' | 'refused';
  /** The number of messages that the retention has deleted. */
  readonly expired: number;
}

interface Stored {
  readonly message: Message;
  readonly sentAt: Instant;
  receives: number;
}

interface Group {
  readonly messages: Stored[];
  receipt: number | undefined;
  receivedAt: Instant;
  hiddenUntil: Instant;
  /** Entries of the heap with another version are outdated. */
  version: number;
}

const KEPT_FOR = 14 * DAY;
const LONGEST_HIDDEN = 12 * HOUR;
const DEDUPLICATES_FOR = 5 * MINUTE;

export interface FifoQueueOptions {
  readonly now: () => Instant;
  /** How long a message is hidden after a receive. */
  readonly hiddenMs: number;
}

export function createFifoQueue({ now, hiddenMs }: FifoQueueOptions): FifoQueue {
  const groups = new Map<string, Group>();
  const ready = createReadyHeap();
  const seen = new Map<string, Instant>();
  let receipts = 0;
  let expired = 0;

  function announce(group: Group, at: Instant): void {
    group.version += 1;
    ready.push({ at, group, version: group.version });
  }

  function dropExpired({ messages }: Group): void {
    while (messages[0] !== undefined && messages[0].sentAt + KEPT_FOR <= now()) {
      messages.shift();
      expired += 1;
    }
  }

  function held({ message, receipt }: Received): Group | undefined {
    const group = groups.get(message.messageGroup);
    return group?.receipt === receipt && now() < group.hiddenUntil ? group : undefined;
  }

  return {
    get expired() {
      return expired;
    },
    send(message) {
      const before = seen.get(message.deduplicationId);
      if (before !== undefined && now() < before + DEDUPLICATES_FOR) return;
      seen.set(message.deduplicationId, now());
      let group = groups.get(message.messageGroup);
      if (group === undefined) {
        group = { messages: [], receipt: undefined, receivedAt: 0, hiddenUntil: 0, version: 0 };
        groups.set(message.messageGroup, group);
      }
      group.messages.push({ message, sentAt: now(), receives: 0 });
      if (group.messages.length === 1) announce(group, Math.max(now(), group.hiddenUntil));
    },
    nextAt: () => ready.top()?.at,
    receive() {
      for (let next = ready.top(); next !== undefined && next.at <= now(); next = ready.top()) {
        ready.pop();
        const { group } = next;
        dropExpired(group);
        const [head] = group.messages;
        if (head === undefined) continue;
        head.receives += 1;
        receipts += 1;
        group.receipt = receipts;
        group.receivedAt = now();
        group.hiddenUntil = now() + hiddenMs * MILLISECOND;
        announce(group, group.hiddenUntil);
        return { message: head.message, receipt: receipts, receives: head.receives };
      }
      return undefined;
    },
    delete(received) {
      const group = held(received);
      if (group === undefined) return false;
      group.messages.shift();
      group.receipt = undefined;
      group.hiddenUntil = now();
      if (group.messages.length > 0) announce(group, now());
      else group.version += 1;
      return true;
    },
    hide(received, seconds) {
      const group = held(received);
      if (group === undefined) return 'too late';
      const until = now() + seconds * 1_000 * MILLISECOND;
      if (until - group.receivedAt > LONGEST_HIDDEN) return 'refused';
      group.hiddenUntil = until;
      announce(group, until);
      return 'hidden';
    },
  };
}

interface Ready {
  readonly at: Instant;
  readonly group: Group;
  readonly version: number;
}

/** The groups with messages, the one that can be received first on top; the oldest of several. */
function createReadyHeap() {
  const heap: (Ready & { readonly order: number })[] = [];
  let order = 0;
  const isBefore = (a: (typeof heap)[number], b: (typeof heap)[number]) =>
    a.at < b.at || (a.at === b.at && a.order < b.order);

  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Ready & { order: number })) child += 1;
      const below = heap[child];
      if (below === undefined || !isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
  }

  return {
    pop,
    push(ready: Ready): void {
      order += 1;
      const added = { ...ready, order };
      let at = heap.length;
      while (at > 0) {
        const above = (at - 1) >> 1;
        const parent = heap[above];
        if (parent === undefined || !isBefore(added, parent)) break;
        heap[at] = parent;
        at = above;
      }
      heap[at] = added;
    },
    top(): Ready | undefined {
      while (heap[0] !== undefined && heap[0].version !== heap[0].group.version) pop();
      return heap[0];
    },
  };
}
