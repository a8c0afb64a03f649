// The invented store's products, customers and return reasons. All names are made up.

export const FIRST_NAMES = words(
  'Ada Amir Beatriz Chloe Daniel Elif Emma Finn Grace Hugo Ines Jonas',
  'Kaya Lena Liam Maya Noah Olga Priya Quinn Rosa Sam Tara Yusuf',
);

export const LAST_NAMES = words(
  'Adler Baker Costa Diaz Evans Fischer Garcia Hansen Ito Jensen Khan Larsen',
  'Meyer Nguyen Okafor Patel Quist Rossi Silva Turner Usman Vega Weber Zhou',
);

export const CITIES = [
  { city: 'Portland', province: 'OR', zip: '97205', country: 'US' },
  { city: 'Austin', province: 'TX', zip: '78701', country: 'US' },
  { city: 'Toronto', province: 'ON', zip: 'M5V 2T6', country: 'CA' },
  { city: 'Leeds', province: null, zip: 'LS1 4DY', country: 'GB' },
] as const;

export const STREETS = [
  'Oak Street',
  'Mill Lane',
  'Station Road',
  '5th Avenue',
  'Harbour Way',
  'Hill Crescent',
];

export const WAREHOUSE = {
  ...{ address1: '12 Dock Road', address2: 'Gate 3' },
  ...{ city: 'Reno', province: 'NV', zip: '89502', country: 'US' },
};

/** Prices in cents. */
export const PRODUCTS = [
  { name: 'Merino Crew Sweater', code: 'MCS', price: 9_800 },
  { name: 'Canvas Weekender', code: 'CWK', price: 14_500 },
  { name: 'Trail Runner', code: 'TRN', price: 12_900 },
  { name: 'Linen Shirt', code: 'LSH', price: 6_900 },
  { name: 'Straight Jeans', code: 'SJN', price: 8_800 },
  { name: 'Rain Shell', code: 'RSH', price: 18_900 },
  { name: 'Wool Socks, 3 Pairs', code: 'WSK', price: 2_995 },
  { name: 'Leather Belt', code: 'LBT', price: 4_450 },
] as const;

export const SIZES = ['XS', 'S', 'M', 'L', 'XL'] as const;
export const COLOURS = ['Black', 'Navy', 'Sand', 'Olive', 'Rust'] as const;

export const REASONS = [
  reason('too_small', 'Too small', 'fit', 'Fit'),
  reason('too_large', 'Too large', 'fit', 'Fit'),
  reason('damaged', 'Arrived damaged', 'quality', 'Quality'),
  reason('wrong_item', 'Wrong item'),
  reason('changed_mind', 'Changed my mind', 'other', 'Other'),
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
export const PARTNER_METHODS = [1, 2, 3, 4].map((number) => `<PARTNER_METHOD_${number}>`);
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

function reason(value: string, label: string, ...parent: [] | [value: string, label: string]) {
  const [above, labelAbove] = parent;
  const path = above === undefined ? [value] : [above, value];
  return { value, label, path, path_labels: labelAbove === undefined ? [label] : [labelAbove, label] };
}
