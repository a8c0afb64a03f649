// The package has no types.
declare module 'asl-validator' {
  function validate(definition: object): { readonly isValid: boolean; readonly errorsText?: () => string };
  export = validate;
}
