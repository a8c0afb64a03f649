// The usual content of stored bodies. Every body written so far needs exactly this text to be read again, so it never
// changes: a better one would be a second text beside it, with a new format of the items (stored-format.ts). References
// to the end of the text are the cheapest; a field that is added later only deflates less well.
const money =
  '{"shop_money":{"amount":0,"currency_code":"USD"},"presentment_money":{"amount":0,"currency_code":"USD"}}';
const stamp = '2026-11-20T10:15:02.000000Z';

export const DICTIONARY = [
  'DRAFTFAILEDUNKNOWNSELF_SHIPSTORE_DROP_OFFSTORE_CREDITORIGINAL_PAYMENT_METHODcreditexchange+refundexchange+creditupsell',
  '"source_degraded","source_recovered","baseline_completed","drift_detected","events_skipped","reasons":[{"code":"","message":""}],"since":"',
  '"customer":{"name":"","email":"","phone":""},"through":"baseline","subject":"feed","type":"feed.',
  `{"type":"refund_transaction","platform_id":"","amount":${money},"gateway":"`,
  '{"type":"exchange_line_item","id":"","status":"PROCESSED","UNPROCESSED","line_item_platform_id":null,"product_platform_id":"',
  '{"specversion":"1.0","id":"","source":"/sources/","type":"exchange_line_item.created","return_line_item.removed","refund_transaction.created","return_group.updated","shipment.status_changed",',
  '"subject":"return-groups//exchange-line-items//refund-transactions//shipments//return-line-items/","time":"2026-',
  '","datacontenttype":"application/json","dataschema":"urn:returns-change-feed:return_line_item:1","sequence":"00000000","partitionkey":"',
  '","data":{"generation":"","sequence":1,"return_group":{"id":1,"created_at":"',
  `${stamp}","updated_at":"${stamp}","return_outcome":null,"return_method":"TRADITIONAL","order":{"id":1,"name":"#1","platform_id":"1"}},"object":{"type":"`,
  '"previous_attributes":{"status":"IN_TRANSIT","OPEN","COMPLETED","CANCELED","DELIVERED","IN_REVIEW"},"observed":{"after":"2026-","by":"2026-","through":"reconciliation"}}},"poll"}}}',
  '{"sequence":1,"projectionVersion":1,"updatedAt":17,"sentAt":17,"receivedAt":17,"projection":{"group":{"type":"return_group","id":1,',
  `"created_at":"${stamp}","updated_at":"${stamp}","return_outcome":"refund","exchange","credit_method":null,"return_method":"TRADITIONAL","order":{"id":1,"name":"#1","platform_id":"1"}},`,
  `"shipments":[{"type":"shipment","id":1,"status":"CREATED","carrier":"UPS","tracking_number":"1Z","created_at":"${stamp}","shipped_at":null,"delivered_at":null,"return_ids":[1]}],`,
  '"return_line_items":[{"type":"return_line_item","id":1,"platform_id":null,"created_at":"2026-11-20T10:15:02.000000Z","status":"OPEN","shipment_id":null,"platform_refund_transaction_ids":[],"platform_line_item_id":"1","product_platform_id":"1","product_name":"","variant_platform_id":"1","variant_name":"","sku":"","barcode":null,"quantity":1,"return_reason_details":{"value":"","label":""},',
  `"total":${money},"last_rma_number":null,"last_rma_provider":null}],"exchange_line_items":[],"refund_transactions":[]},"absences":{},"untold":{}}`,
].join('');
