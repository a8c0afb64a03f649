// A stack at the emulator: every resource of its template, created by CloudFormation or separately (left-out.ts).
import {
  CloudFormationClient,
  paginateListExports,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { type Names, resolve } from '../stack/resolve-intrinsics.ts';
import type { Template } from '../stack/template.ts';
import type { Resources } from './adapt-to-moto.ts';
import { makeLeftOut, orderOf, removeLeftOut } from './left-out.ts';
import { type Found, lookUp, type Wanted } from './look-up.ts';

export interface DeployedStack {
  /** Looks up every resource. @returns a line for each. @throws Error that names a missing one */
  describe(): Promise<string[]>;
  makeLeftOut(): Promise<void>;
  removeLeftOut(): Promise<void>;
  /** @returns the lines of the remaining resources */
  remains(): Promise<string[]>;
}

/** @param template as it was synthesized */
export async function readDeployedStack(
  stackName: string,
  template: Template,
  leftOut: Resources,
): Promise<DeployedStack> {
  const [physicalIds, exports] = [await listPhysicalIds(stackName), await listExports()];
  const found = new Map<string, Found>();
  const names: Names = {
    exported: (name) => exports.get(name) ?? missing(`export ${name}`),
    ref: (id) => found.get(id)?.ref ?? physicalIds.get(id) ?? missing(id),
    attribute(id, name) {
      if (name === 'QueueName') return physicalIds.get(id)?.split('/').at(-1) ?? missing(id);
      if (name === 'TopicName') return physicalIds.get(id)?.split(':').at(-1) ?? missing(id);
      return (
        (name === 'StreamArn' ? found.get(id)?.streamArn : found.get(id)?.arn) ?? missing(`${id}.${name}`)
      );
    },
  };
  const idsLeftOut = Object.keys(leftOut).sort((a, b) => orderOf(leftOut[a]!) - orderOf(leftOut[b]!));
  const idsMade = Object.keys(template.Resources).filter((id) => leftOut[id] === undefined);
  for (const id of idsLeftOut) physicalIds.set(id, nameOf(stackName, id));

  function wanted(id: string): Wanted {
    const { Type, Properties } = template.Resources[id] ?? missing(id);
    return {
      type: Type,
      physicalId: physicalIds.get(id) ?? missing(`${id} in what CloudFormation lists`),
      properties: resolvedWhenAsked(Properties, names),
    };
  }

  async function describeOne(id: string): Promise<string> {
    const { type } = wanted(id);
    try {
      const seen = await lookUp(wanted(id));
      found.set(id, seen);
      return `${type.replace('AWS::', '').padEnd(28)} ${id.slice(0, 48).padEnd(48)} ${seen.words}`;
    } catch (cause) {
      throw new Error(`${type} ${id} does not exist: ${String(cause)}`, { cause });
    }
  }

  return {
    async describe() {
      const lines: string[] = [];
      for (const id of [...idsMade, ...idsLeftOut]) lines.push(await describeOne(id));
      return lines;
    },
    async makeLeftOut() {
      for (const id of idsMade) await describeOne(id);
      for (const id of idsLeftOut) await makeLeftOut(wanted(id));
    },
    async removeLeftOut() {
      for (const id of [...idsLeftOut].reverse()) await removeLeftOut(wanted(id));
    },
    async remains() {
      const lines = await Promise.all(
        [...idsMade, ...idsLeftOut].map((id) => describeOne(id).catch(() => undefined)),
      );
      return lines.filter((line) => line !== undefined);
    },
  };
}

/** Resolves each property on access, because some refer to resources that are looked up later or never. */
function resolvedWhenAsked(properties: Readonly<Record<string, unknown>>, names: Names): object {
  const resolved = {};
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(resolved, name, { enumerable: true, get: () => resolve(value, names) });
  return resolved;
}

async function listPhysicalIds(stackName: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client: new CloudFormationClient() },
    { StackName: stackName },
  ))
    for (const { LogicalResourceId = '', PhysicalResourceId = '' } of StackResourceSummaries)
      ids.set(LogicalResourceId, PhysicalResourceId);
  return ids;
}

async function listExports(): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for await (const { Exports = [] } of paginateListExports({ client: new CloudFormationClient() }, {}))
    for (const { Name = '', Value = '' } of Exports) values.set(Name, Value);
  return values;
}

/** Short enough for an archive. */
function nameOf(stackName: string, id: string): string {
  return `${stackName}-${id}`.slice(0, 20) + id.slice(-8);
}

function missing(what: string): never {
  throw new Error(`There is no ${what}.`);
}
