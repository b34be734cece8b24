import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { OrgId } from "#platform/ids.ts";
import { isoTime } from "../../../views/scalars.ts";
import { type ConnectReceiver, receiversOfAgreement } from "../connect/receiver.ts";
import type { StoredEvent } from "../domain/delivery.ts";
import { testData } from "../domain/event-types-webhooks.ts";
import { clickData } from "./click-data.ts";
import { type AboutDelivery, connectBody } from "./connect-body.ts";
import { callerOf, type DataMakers, type EventPayload, type PayloadCase, parseEvent } from "./event-parts.ts";
import { generationData } from "./generation-data.ts";
import { createLookups, type LookupClients, type Lookups } from "./lookups.ts";
import { signData } from "./sign-data.ts";
import { templateData } from "./template-data.ts";
import { webhooksData } from "./webhooks-data.ts";

/**
 * Makes what is sent, at each attempt anew: of the event as it was stored, and of what the services that know the things
 * it names say now. So nothing personal is kept here, and what was erased or deleted since is not told any more. All
 * reject with SERVICE_UNAVAILABLE while a service cannot say.
 */
export interface Bodies {
  /** The body of our own format. */
  standard(orgId: OrgId, event: StoredEvent): Promise<string>;
  /** The body of the compatible interface, of an event that it has. */
  connect(orgId: OrgId, event: StoredEvent, receiver: ConnectReceiver, about: AboutDelivery): Promise<string>;
  /** The receivers that an agreement names; none when it is gone. */
  agreementReceivers(orgId: OrgId, agreementId: string): Promise<readonly ConnectReceiver[]>;
}

export interface BodiesDeps extends LookupClients {
  readonly clock: Clock;
}

export function createBodies({ clock, ...clients }: BodiesDeps): Bodies {
  return {
    standard: async (orgId, stored) => {
      const event = parseEvent(stored);
      const data = await dataOf(event.payload, createLookups(clients, callerOf(orgId, event)));
      return JSON.stringify({ ...envelopeOf(orgId, stored, event), data });
    },
    connect: async (orgId, stored, receiver, about) => {
      const event = parseEvent(stored);
      const lookups = createLookups(clients, callerOf(orgId, event));
      return connectBody({ orgId, event, receiver, about, now: clock.now() }, lookups);
    },
    agreementReceivers: async (orgId, agreementId) => {
      const lookups = createLookups(clients, { orgId, clientId: "webhooks", requestId: "", traceparent: "" });
      const agreement = await lookups.agreement(agreementId);
      return agreement === undefined ? [] : receiversOfAgreement(agreement.subscriptionJson);
    },
  };
}

/** Two names of one time: timestamp is that of Standard Webhooks, createdAt the one that everything else here has. */
function envelopeOf(organizationId: OrgId, { id, type, occurredAt }: StoredEvent, event: Event): object {
  const createdAt = isoTime(event.occurredAt) ?? occurredAt.toISOString();
  return { id, type, timestamp: createdAt, organizationId, createdAt };
}

/** A maker for every payload, so that a new one cannot be forgotten. */
const makers: DataMakers<PayloadCase> = {
  ...clickData,
  ...templateData,
  ...generationData,
  ...signData,
  ...webhooksData,
};

/** Only a test has no payload. */
function dataOf(payload: EventPayload, lookups: Lookups): object | Promise<object> {
  if (payload.case === undefined) return testData;
  return (makers[payload.case] as (value: unknown, lookups: Lookups) => object | Promise<object>)(
    payload.value,
    lookups,
  );
}
