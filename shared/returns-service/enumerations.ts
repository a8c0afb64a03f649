// The values that returns-data-service.md lists ("Enumerations"). They are open: third parties appear as placeholders,
// and a service may add values. So a schema accepts any text, and drift.ts reports unlisted ones.
import * as z from 'zod';

export const RETURN_METHODS = [
  'TRADITIONAL',
  'SELF_SHIP',
  'STORE_DROP_OFF',
  '<PARTNER_METHOD_1>',
  '<PARTNER_METHOD_2>',
  '<PARTNER_METHOD_3>',
  '<PARTNER_METHOD_4>',
] as const;

export const CREDIT_METHODS = ['STORE_CREDIT', 'ORIGINAL_PAYMENT_METHOD'] as const;

export const RETURN_OUTCOMES = [
  'credit',
  'refund',
  'exchange+refund',
  'exchange',
  'exchange+credit',
  'upsell',
] as const;

export const SHIPMENT_STATUSES = [
  'DRAFT',
  'CREATED',
  'IN_TRANSIT',
  'DELIVERED',
  'FAILED',
  'CANCELED',
  'UNKNOWN',
] as const;

/** InternalReturnStatus in the document. */
export const RETURN_STATUSES = ['IN_REVIEW', 'OPEN', 'COMPLETED', 'CANCELED'] as const;

/** ExchangeLineItemStatus in the document. */
export const EXCHANGE_STATUSES = ['UNPROCESSED', 'PROCESSED', 'CANCELED'] as const;

export const RMA_PLATFORMS = [
  'MANUAL',
  '<PARTNER_RMA_1>',
  '<PARTNER_RMA_2>',
  '<PARTNER_RMA_3>',
  '<PARTNER_RMA_4>',
  '<PARTNER_RMA_5>',
  '<PARTNER_RMA_6>',
  '<PARTNER_RMA_7>',
] as const;

export const QUESTION_TYPES = ['TEXT', 'SELECT'] as const;

/** CurrencyCode in the document, in its order. */
export const CURRENCY_CODES = `
  USD EUR GBP JPY CNY CAD AUD CHF AED AFN BDT BHD BND BTN HKD IDR ILS INR IQD IRR
  JOD KHR KRW KWD KZT LAK LKR MMK MNT MOP MVR MYR NPR OMR PHP PKR QAR SAR SGD THB
  TWD UZS VND YER BWP CDF DJF EGP ERN ETB GHS GMD GNF KES KMF LRD LSL MAD MGA MWK
  MZN NAD NGN RWF SDG SLL SOS SSP TND TZS UGX ZAR ZMW ARS BBD BMD BOB BRL BSD BZD
  CLP COP CRC CUP DOP FKP GYD HNL JMD KID KYD MXN NIO PAB PEN PYG SRD TTD UYU VED
  VES ALL AMD AZN BAM BGN BYN CZK DKK GEL HRK HUF ISK LTL LVL MDL MKD NOK PLN RON
  RSD RUB SEK TRY UAH FJD NZD PGK SBD TOP VUV WST AOA ANG AWG BIF CVE LBP LYD MRU
  MUR SCR SHP STN SYP SZL TJS TMT XAF XCD XOF XPF XXX GIP JEP SLE
`
  .trim()
  .split(/\s+/);

/** A schema that lists its values for documentation, and also accepts any other text. */
export function openEnumeration<Listed extends string>(
  values: readonly Listed[],
): z.ZodType<Listed | (string & {})> {
  return z.union([z.enum(values), z.string()]);
}
