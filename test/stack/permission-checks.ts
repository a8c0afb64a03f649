// Whether callers have the permissions that a run needs, by the template's policies. The checks are recorded, so that
// the policies of a damaged copy can be judged by them without another run.
import { type Permission, readQueuePolicies, readRoles } from './policies.ts';
import type { Names } from './resolve-intrinsics.ts';
import type { Template } from './template.ts';

export interface PermissionCheck {
  /** As problems name it: the logical id of a function or a state machine, or the ARN that a service acts for. */
  readonly caller: string;
  /** Whose policies decide: those of a role, or those of queues about a service. */
  readonly principal: { readonly roleArn: string } | { readonly service: string };
  readonly permission: Permission;
}

export interface PermissionChecks {
  /** Whether the template's policies allow it. */
  passes(check: PermissionCheck): boolean;
  /** The checks so far that the policies of another template would refuse, as problems; each is listed once. */
  deniedBy(other: Template): string[];
}

export function createPermissionChecks(template: Template, names: Names): PermissionChecks {
  const recorded = new Map<string, PermissionCheck>();
  const isAllowed = readPolicies(template, names);
  return {
    passes(check) {
      recorded.set(JSON.stringify(check), check);
      return isAllowed(check);
    },
    deniedBy(other) {
      const isAllowedByOther = readPolicies(other, names);
      return [...recorded.values()].filter((it) => !isAllowedByOther(it)).map(refusalOf);
    },
  };
}

/** The problem that a refused check is. */
export function refusalOf({ caller, permission }: Pick<PermissionCheck, 'caller' | 'permission'>): string {
  return `${caller} is not allowed ${permission.action} on ${permission.resource}`;
}

function readPolicies(template: Template, names: Names): (check: PermissionCheck) => boolean {
  const roleMay = readRoles(template, names);
  const serviceMay = readQueuePolicies(template, names);
  return ({ principal, permission }) =>
    'roleArn' in principal
      ? roleMay(principal.roleArn, permission)
      : serviceMay(principal.service, permission);
}
