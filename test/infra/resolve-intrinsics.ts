// Resolves the functions of CloudFormation that the templates use. An unknown one throws, so that none is ignored.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html

/** The names in a deployment. */
export interface Names {
  /** The name of a resource, a parameter or a pseudo parameter. */
  ref(logicalId: string): string;
  attribute(logicalId: string, name: string): string;
  /** The output of another stack. */
  output?(stackName: string, outputName: string): string;
  /** The value of another stack's export. */
  exported?(exportName: string): string;
}

// biome-ignore lint/suspicious/noExplicitAny: the result has the template's types
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
      if (names.output === undefined) throw new Error('The outputs of other stacks are unknown here.');
      return names.output(operand.StackName, operand.OutputName);
    case 'Fn::ImportValue':
      if (names.exported === undefined) throw new Error('The exports of other stacks are unknown here.');
      return names.exported(operand);
    case 'Fn::Join':
      return resolve(operand[1], names).join(operand[0]);
    case 'Fn::Sub':
      return String(operand).replace(/\$\{([^}]+)\}/g, (_, id: string) => names.ref(id));
    default:
      throw new Error(`Unknown function ${name}: add it to resolve-intrinsics.ts.`);
  }
}
