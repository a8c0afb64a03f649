// Finds all edges of an account: every reference in a resource's properties is an edge, with the calls that it needs, or
// is listed as none.
import { EDGE_KINDS } from './edge-kinds.ts';
import type { Call } from './judge-call.ts';
import type { Account, AccountResource } from './read-account.ts';

export interface Edge {
  /** The paths of their constructs. */
  readonly from: string;
  readonly to: string;
  /** For instance `Rule Targets[].Arn`. */
  readonly kind: string;
  readonly calls: readonly Call[];
  /** The reason why it needs no calls. */
  readonly reason: string | undefined;
}

/** @throws Error that names each unknown kind of reference */
export function findEdges(account: Account): readonly Edge[] {
  const unknown = new Set<string>();
  const edges = account.resources.flatMap((resource) =>
    namesIn(resource).flatMap(({ path, value, named, around }): Edge[] => {
      const rules = EDGE_KINDS[resource.type];
      const known = Object.keys(rules ?? {}).find((it) => fits(it, path));
      if (rules === undefined || known === undefined) {
        unknown.add(`${resource.type} ${path}`);
        return [];
      }
      const needs = rules[known]?.({ account, resource, value, around });
      if (needs === undefined) return [];
      return [
        {
          from: resource.path,
          to: pathOf(account, resource.stack, named) ?? account.find(value)?.path ?? value,
          kind: `${resource.type.replace('AWS::', '')} ${known}`,
          ...(typeof needs === 'string' ? { calls: [], reason: needs } : { calls: needs, reason: undefined }),
        },
      ];
    }),
  );
  if (unknown.size > 0)
    throw new Error(
      `Unknown references to other resources: add them to edge-kinds.ts.\n${[...unknown].sort().join('\n')}`,
    );
  return edges;
}

function pathOf({ resources }: Account, stack: string, id: string | undefined): string | undefined {
  return resources.find((it) => it.stack === stack && it.id === id)?.path;
}

interface Name {
  readonly path: string;
  /** The named resource's logical id, if it is in the same stack. */
  readonly named: string | undefined;
  readonly value: string;
  readonly around: unknown;
}

function namesIn(resource: AccountResource): Name[] {
  return [...walk(resource.properties, '', {})].flatMap(({ path, leaf, around }) => {
    if (!isReference(leaf) && !mayHoldArn(leaf)) return [];
    const value = resource.resolve(leaf);
    if (!isReference(leaf) && !String(value).includes('arn:')) return [];
    const { Ref, 'Fn::GetAtt': [named] = [Ref] } = Object(leaf) as { Ref?: string; 'Fn::GetAtt'?: string[] };
    return [{ path, value, named, around: resource.resolve(around) }];
  });
}

interface Leaf {
  readonly path: string;
  readonly leaf: unknown;
  readonly around: unknown;
}

function* walk(value: unknown, path: string, around: unknown): Generator<Leaf> {
  if (typeof value !== 'object' || value === null || isIntrinsic(value)) yield { path, leaf: value, around };
  else if (Array.isArray(value)) for (const it of value) yield* walk(it, `${path}[]`, around);
  else
    for (const [key, it] of Object.entries(value))
      yield* walk(it, path === '' ? key : `${path}.${key}`, value);
}

function isIntrinsic(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length === 1 && (keys[0] === 'Ref' || keys[0]?.startsWith('Fn::') === true);
}

/** Whether the value refers to a resource of this stack or another, possibly within a longer text. */
function isReference(leaf: unknown): boolean {
  return /"(Fn::GetAtt|Fn::GetStackOutput|Fn::ImportValue)":|"Ref":"(?!AWS::)/.test(
    JSON.stringify(leaf) ?? '',
  );
}

function mayHoldArn(leaf: unknown): boolean {
  return typeof leaf === 'string' ? leaf.includes('arn:') : typeof leaf === 'object' && leaf !== null;
}

function fits(known: string, path: string): boolean {
  return known.endsWith('*') ? path.startsWith(known.slice(0, -1)) : known === path;
}
