// The invented store's products, customers and return reasons. All names are made up.

import type { StoredAddress, StoredReason } from './stored-group.ts';

export const FIRST_NAMES = words(
  'Ada Amir Beatriz Chloe Daniel Elif Emma Finn Grace Hugo Ines Jonas',
  'Kaya Lena Liam Maya Noah Olga Priya Quinn Rosa Sam Tara Yusuf',
);

export const LAST_NAMES = words(
  'Adler Baker Costa Diaz Evans Fischer Garcia Hansen Ito Jensen Khan Larsen',
  'Meyer Nguyen Okafor Patel Quist Rossi Silva Turner Usman Vega Weber Zhou',
);

export const CITIES: readonly Pick<StoredAddress, 'city' | 'province' | 'zip' | 'country'>[] = [
  { city: 'Portland', province: 'OR', zip: '97205', country: 'US' },
  { city: 'Austin', province: 'TX', zip: '78701', country: 'US' },
  { city: 'Columbus', province: 'OH', zip: '43215', country: 'US' },
  { city: 'Atlanta', province: 'GA', zip: '30303', country: 'US' },
  { city: 'Denver', province: 'CO', zip: '80202', country: 'US' },
  { city: 'Toronto', province: 'ON', zip: 'M5V 2T6', country: 'CA' },
  { city: 'Leeds', province: null, zip: 'LS1 4DY', country: 'GB' },
  { city: 'Hamburg', province: null, zip: '20095', country: 'DE' },
];

export const STREETS = [
  'Oak Street',
  'Mill Lane',
  'Station Road',
  '5th Avenue',
  'Harbour Way',
  'Hill Crescent',
] as const;

export const WAREHOUSE: StoredAddress = {
  address1: '12 Dock Road',
  address2: 'Gate 3',
  city: 'Reno',
  province: 'NV',
  zip: '89502',
  country: 'US',
};

interface Product {
  readonly name: string;
  readonly code: string;
  /** In cents. */
  readonly price: number;
}

export const PRODUCTS: readonly [Product, ...Product[]] = [
  { name: 'Merino Crew Sweater', code: 'MCS', price: 9_800 },
  { name: 'Canvas Weekender', code: 'CWK', price: 14_500 },
  { name: 'Trail Runner', code: 'TRN', price: 12_900 },
  { name: 'Linen Shirt', code: 'LSH', price: 6_900 },
  { name: 'Straight Jeans', code: 'SJN', price: 8_800 },
  { name: 'Rain Shell', code: 'RSH', price: 18_900 },
  { name: 'Wool Socks, 3 Pairs', code: 'WSK', price: 2_995 },
  { name: 'Leather Belt', code: 'LBT', price: 4_450 },
];

export const SIZES = ['XS', 'S', 'M', 'L', 'XL'] as const;
export const COLOURS = ['Black', 'Navy', 'Sand', 'Olive', 'Rust'] as const;

export const REASONS: readonly Omit<StoredReason, 'note'>[] = [
  { value: 'too_small', label: 'Too small', path: ['fit', 'too_small'], path_labels: ['Fit', 'Too small'] },
  { value: 'too_large', label: 'Too large', path: ['fit', 'too_large'], path_labels: ['Fit', 'Too large'] },
  {
    value: 'damaged',
    label: 'Arrived damaged',
    path: ['quality', 'damaged'],
    path_labels: ['Quality', 'Arrived damaged'],
  },
  { value: 'wrong_item', label: 'Wrong item', path: ['wrong_item'], path_labels: ['Wrong item'] },
  {
    value: 'changed_mind',
    label: 'Changed my mind',
    path: ['other', 'changed_mind'],
    path_labels: ['Other', 'Changed my mind'],
  },
];

export const NOTES = [
  'Sleeves are shorter than on the picture.',
  'Ordered two sizes, keeping the other one.',
  'The zip broke on the first day.',
  'It was a present, they had it already.',
] as const;

export const ORDER_TAGS = ['vip', 'wholesale', 'gift', 'first-order', 'sale'] as const;
export const ORDER_SOURCES = ['web', 'pos', 'mobile_app', null] as const;
export const GATEWAYS = ['card_payments', 'wallet', 'invoice', null] as const;

/** Placeholders, as in the document. */
export const PARTNER_METHODS = [
  '<PARTNER_METHOD_1>',
  '<PARTNER_METHOD_2>',
  '<PARTNER_METHOD_3>',
  '<PARTNER_METHOD_4>',
] as const;
export const RMA_PROVIDERS = ['MANUAL', '<PARTNER_RMA_1>', '<PARTNER_RMA_2>', '<PARTNER_RMA_5>'] as const;

/** Statuses that no document lists, for the knob of that name. */
export const UNLISTED_STATUSES = {
  shipment: ['OUT_FOR_DELIVERY', 'RETURNED_TO_SENDER', 'HELD_AT_CUSTOMS'],
  return_line_item: ['ON_HOLD', 'REJECTED', 'PARTIALLY_RECEIVED'],
  exchange_line_item: ['BACKORDERED', 'AWAITING_PAYMENT'],
} as const;

function words(...lines: readonly string[]): readonly string[] {
  return lines.join(' ').split(' ');
}
