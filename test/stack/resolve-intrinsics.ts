// CloudFormation's functions, as many as the templates use: one that is not known throws, so that none is passed over.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html

/** What resources are called where the template is deployed. */
export interface Names {
  /** Of a resource, a parameter or a pseudo parameter. */
  ref(logicalId: string): string;
  attribute(logicalId: string, name: string): string;
  /** Of another stack, by its name and that of the output. */
  output?(stackName: string, outputName: string): string;
}

// biome-ignore lint/suspicious/noExplicitAny: what comes out is as it stands in the template
export function resolve(value: unknown, names: Names): any {
  if (Array.isArray(value)) return value.map((it) => resolve(it, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, operand] = entries[0] ?? ['', undefined];
  if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) return call(name, operand, names);
  return Object.fromEntries(entries.map(([key, it]) => [key, resolve(it, names)]));
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function call(name: string, operand: any, names: Names): string {
  switch (name) {
    case 'Ref':
      return names.ref(operand);
    case 'Fn::GetAtt':
      return names.attribute(operand[0], operand[1]);
    case 'Fn::GetStackOutput':
      if (names.output === undefined) throw new Error('Outputs of other stacks are not known here.');
      return names.output(operand.StackName, operand.OutputName);
    case 'Fn::Join':
      return resolve(operand[1], names).join(operand[0]);
    case 'Fn::Sub':
      return String(operand).replace(/\$\{([^}]+)\}/g, (_, id: string) => names.ref(id));
    default:
      throw new Error(`${name} is not known here.`);
  }
}
