// Damages to a copy of a template. A run must find them.
import { idOf, type Resources } from './template.ts';

export interface Damage {
  readonly of: string;
  readonly do: (resources: Resources) => void;
  /** The problem that the run reports. */
  readonly found: RegExp;
}

/** Removes an action from all statements of a role's policy. */
export function withdraw(resources: Resources, roleText: string, action: string): void {
  const policy = resources[idOf({ Resources: resources }, 'AWS::IAM::Policy', roleText)];
  for (const statement of policy?.Properties.PolicyDocument.Statement ?? [])
    statement.Action = [statement.Action].flat().filter((it: string) => it !== action);
}
