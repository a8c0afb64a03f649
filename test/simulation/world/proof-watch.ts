// The log of a poller, which also notes the proofs that the poller finds false.
import type { Instant } from '../../../shared/instant.ts';
import type { Log } from '../../../shared/ports.ts';
import type { FalseProof } from '../checker/evidence.ts';

/** Logged by shared/tick/look-for-missing.ts when a look-up finds a group that a proved range had not shown. */
const FALSE_PROOF = 'A known group was missing from a range whose end was proved.';

export interface ProofWatch {
  readonly log: Log;
  /** Returns the proofs found false since the last call. */
  takeFalse(): readonly FalseProof[];
}

export function watchProofs(log: Log, now: () => Instant): ProofWatch {
  let found: FalseProof[] = [];
  return {
    log: {
      ...log,
      debug(message, fields) {
        if (message === FALSE_PROOF)
          found.push({ source: String(fields?.source), groupId: Number(fields?.group), at: now() });
        log.debug(message, fields);
      },
    },
    takeFalse() {
      const taken = found;
      found = [];
      return taken;
    },
  };
}
