import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { OutboundRules } from "#platform/net/outbound-url.ts";
import type { KeyRing } from "#platform/secrets.ts";

/** The dependencies of the handlers; each handler picks what it uses. */
export interface WebhooksDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that counts and notes what happens, of all organizations. */
  readonly fanOutPool: pg.Pool;
  /** Encrypts the secrets of endpoints. */
  readonly secretKeys: KeyRing;
  /** Where events may be sent. */
  readonly rules: OutboundRules;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
  /** Tells the loop that sends that there is something to send. */
  wakeDeliveries(): void;
}

/** Some RPCs of the service. */
export type WebhooksRpcs<Name extends keyof ServiceImpl<typeof WebhooksService>> = Pick<
  ServiceImpl<typeof WebhooksService>,
  Name
>;
