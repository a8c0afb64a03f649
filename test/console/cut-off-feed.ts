// A feed whose stores can be cut off from those who read them.
import type { OpenFeed } from '../../local/place/open-feed.ts';

export interface CutOffFeed {
  readonly feed: OpenFeed;
  readonly wire: {
    /** Every read fails until `mend` is called. */
    cut(): void;
    mend(): void;
  };
}

export function cutOff(open: OpenFeed): CutOffFeed {
  let isCut = false;
  /** The same object, whose functions throw while it is cut off. */
  const behindWire = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (isCut) throw new Error('The stores are cut off.');
          return Reflect.apply(member, target, args);
        };
      },
    });
  const { states, store, ledger, marks, endpoints, lists } = open;
  const { sources, stateOf, statesOf, webhooks, activitiesOf } = behindWire({
    sources: open.sources,
    stateOf: open.stateOf,
    statesOf: open.statesOf,
    webhooks: open.webhooks,
    activitiesOf: open.activitiesOf,
  });
  const ports = { states, store, ledger, marks, endpoints, lists };
  const behind = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, behindWire(port)]));
  return {
    feed: { ...open, ...(behind as typeof ports), sources, stateOf, statesOf, webhooks, activitiesOf },
    wire: {
      cut() {
        isCut = true;
      },
      mend() {
        isCut = false;
      },
    },
  };
}
