// The document as a tree that a row can be held against. It says again what the documented schemas say, held to
// them by the compiler, because building those takes a poller longer at every start than it should.
import type { DocumentedAddress } from './resources/address.ts';
import { CURRENCY_CODES } from './resources/currency-codes.ts';
import type { DocumentedCustomer } from './resources/customer.ts';
