// For mutants: properties run less often, with the same examples each time, and stop at the first failure.
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_121, numRuns: 10, endOnFailure: true });
