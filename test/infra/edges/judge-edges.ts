// Judges an account's edges by its policies, and finds the statements that no edge needs.
import type { Edge } from './find-edges.ts';
import { type Call, judgeCall } from './judge-call.ts';
import type { OwnedStatement, Policies } from './read-policies.ts';

export interface JudgedEdge extends Edge {
  readonly refused: readonly Call[];
  /** The statements that allow the edge's calls. */
  readonly statements: ReadonlySet<OwnedStatement>;
}

export function judgeEdges(edges: readonly Edge[], policies: Policies): JudgedEdge[] {
  return edges.map((edge) => {
    const verdicts = edge.calls.map((call) => ({ call, ...judgeCall(policies, call) }));
    return {
      ...edge,
      refused: verdicts.filter(({ isAllowed }) => !isAllowed).map(({ call }) => call),
      statements: new Set(verdicts.flatMap(({ isAllowed, statements }) => (isAllowed ? statements : []))),
    };
  });
}

/** Returns a line for each denied call. */
export function refusals(judged: readonly JudgedEdge[]): string[] {
  return judged.flatMap(({ kind, from, to, refused }) =>
    refused.map(({ caller, action, resource }) => {
      const who = 'service' in caller ? caller.service : caller.role.split('/').at(-1);
      return `${kind}: ${from} to ${to}: ${who} may not ${action} on ${resource}`;
    }),
  );
}

/** Returns the statements that no edge needs: without them all edges are still allowed. */
export function findSpare(judged: readonly JudgedEdge[], policies: Policies): OwnedStatement[] {
  return policies.statements.filter((left) => {
    const concerned = judged.filter(({ statements }) => statements.has(left));
    const others = { ...policies, statements: policies.statements.filter((it) => it !== left) };
    return refusals(judgeEdges(concerned, others)).length === 0;
  });
}
