// A state machine's definition, as far as this project uses the Amazon States Language.

export interface StateMachineDefinition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
  readonly Comment?: string;
  readonly ProcessorConfig?: unknown;
}

export interface State {
  readonly Type: 'Choice' | 'Map' | 'Pass' | 'Task';
  readonly Next?: string;
  readonly End?: boolean;
  readonly ResultPath?: string | null;
  readonly ResultSelector?: object;
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
  readonly Resource?: string;
  readonly Parameters?: object;
  readonly TimeoutSeconds?: number;
  readonly ItemsPath?: string;
  readonly ItemSelector?: object;
  readonly ItemProcessor?: StateMachineDefinition;
  readonly Choices?: readonly (Rule & { readonly Next: string })[];
  readonly Default?: string;
}

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly MaxAttempts?: number;
}

export interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly ResultPath?: string | null;
  readonly Next: string;
}

export interface Rule {
  readonly And?: readonly Rule[];
  readonly Or?: readonly Rule[];
  readonly Not?: Rule;
  readonly Variable?: string;
  readonly IsPresent?: boolean;
  readonly StringEquals?: string;
}
