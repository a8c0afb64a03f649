// Checks by the template's policies whether callers have the permissions that a run needs. Records the checks, so that
// they can be repeated with the policies of a damaged copy, without another run.
import { type Permission, readQueuePolicies, readRoles } from './policies.ts';
import type { Names } from './resolve-intrinsics.ts';
import type { Template } from './template.ts';

export interface PermissionCheck {
  /** The caller's name in problems: the logical id of a function or a state machine, or the ARN that a service acts for. */
  readonly caller: string;
  /** The principal of the check: a role's own policies decide, or, for a service, the policies of queues. */
  readonly principal: { readonly roleArn: string } | { readonly service: string };
  readonly permission: Permission;
}

export interface PermissionChecks {
  /** Whether the template's policies allow it. */
  passes(check: PermissionCheck): boolean;
  /** The checks so far that the policies of another template deny, as problems without repetitions. */
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

/** Describes a denied check as a problem. */
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
