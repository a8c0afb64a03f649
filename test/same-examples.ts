// For mutants: properties run less often, with the same examples each time, and end with the first that fails.
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_121, numRuns: 10, endOnFailure: true });
