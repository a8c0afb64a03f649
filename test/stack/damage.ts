// What is broken in a copy of a template, for the run to find.
import { idOf, type Resources } from './template.ts';

export interface Damage {
  readonly of: string;
  readonly do: (resources: Resources) => void;
  /** What the run then says. */
  readonly found: RegExp;
}

/** Takes an action out of all statements of a role's policy. */
export function withdraw(resources: Resources, roleText: string, action: string): void {
  const policy = resources[idOf({ Resources: resources }, 'AWS::IAM::Policy', roleText)];
  for (const statement of policy?.Properties.PolicyDocument.Statement ?? [])
    statement.Action = [statement.Action].flat().filter((it: string) => it !== action);
}
