// The webhooks of a feed. They are subscriptions of the ordered topic, so its limit and unique names include them.
import { Construct } from 'constructs';
import { createAlarmMail } from './alarm-mail.ts';
import { checkWebhook } from './check-webhook.ts';
import type { Monitoring } from './monitoring.ts';
import type { OrderedSubscriptions } from './ordered-subscriptions.ts';
import { Webhook, type WebhookDefaults } from './webhook.ts';
import { DEFAULT_ALARM_AFTER, type WebhookOptions } from './webhook-options.ts';

export interface WebhooksProps extends WebhookDefaults {
  readonly monitoring: Monitoring;
  readonly ordered: OrderedSubscriptions;
  /** The names of the feed's sources. */
  readonly sources: readonly string[];
}

export class Webhooks extends Construct {
  readonly #props: WebhooksProps;

  constructor(scope: Construct, id: string, props: WebhooksProps) {
    super(scope, id);
    this.#props = props;
  }

  /** @throws Error that lists all problems with the options */
  add(id: string, options: WebhookOptions): Webhook {
    const { monitoring, ordered, sources } = this.#props;
    checkWebhook(id, { options, sources, others: ordered.names });
    ordered.addName(id);
    const webhook = new Webhook(this, id, { ...this.#props, options });
    ordered.delayRelayUntil(webhook);
    const { alarmAfter = DEFAULT_ALARM_AFTER, alarmAction, notify } = options;
    const ownerActions = [
      ...(alarmAction === undefined ? [] : [alarmAction]),
      ...(notify === undefined ? [] : [createAlarmMail(webhook, 'OwnersMail', notify)]),
    ];
    monitoring.watchWebhook(webhook, { alarmAfter, ownerActions });
    return webhook;
  }

  /** @throws Error for a webhook that the feed does not have */
  checkId(id: string): void {
    const known = this.node.children.map(({ node }) => node.id);
    if (!known.includes(id))
      throw new Error(`There is no webhook "${id}": write one of "${known.join('", "')}".`);
  }
}
