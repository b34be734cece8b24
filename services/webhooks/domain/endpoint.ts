/** Standard: the product's own format, signed as Standard Webhooks 1.0. Connect: that of the compatible interface. */
export type EndpointKind = "standard" | "connect";

/** The form of events of the audit trail: that of all others, or a class of OCSF. */
export type AuditFormat = "assent" | "ocsf";

export type DisabledReason = "by-request" | "gone" | "failing";

/** Where an organization's events are sent. */
export interface Endpoint {
  /** UUID. */
  readonly id: string;
  readonly kind: EndpointKind;
  /** Of a configuration of the compatible interface. */
  readonly connectId: number | undefined;
  readonly url: string;
  readonly description: string;
  /** Empty for all of its kind but those of the audit trail; those of the compatible interface have its names, such as envelope-sent. */
  readonly eventTypes: readonly string[];
  readonly auditFormat: AuditFormat;
  readonly isEnabled: boolean;
  readonly disabledReason: DisabledReason | undefined;
  readonly disabledAt: Date | undefined;
  /** Since when every attempt has failed. */
  readonly failingSince: Date | undefined;
  /** Until when the secret before the last rotation signs as well. */
  readonly previousSecretUntil: Date | undefined;
  /** Of a configuration of the compatible interface, with its names. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The secrets its requests are signed with. */
export interface EndpointSecrets {
  /** 32 bytes. */
  readonly current: Buffer;
  readonly previous: Buffer | undefined;
}

/** What is undefined stays. */
interface EndpointChanges {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly eventTypes?: readonly string[] | undefined;
  readonly auditFormat?: AuditFormat | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly settings?: Endpoint["settings"];
}

interface ChangedEndpoint {
  readonly endpoint: Endpoint;
  /** Nothing that waits for it will be sent. */
  readonly givesUp: boolean;
}

/** Enabling forgets the failures so far, and so does another address: they were of the one before. */
export function changeEndpoint(before: Endpoint, changes: EndpointChanges, now: Date): ChangedEndpoint {
  const { url = before.url, isEnabled = before.isEnabled } = changes;
  const isSwitched = isEnabled !== before.isEnabled;
  const isForgiven = url !== before.url || (isSwitched && isEnabled);
  const endpoint = {
    ...before,
    url,
    description: changes.description ?? before.description,
    eventTypes: changes.eventTypes ?? before.eventTypes,
    auditFormat: changes.auditFormat ?? before.auditFormat,
    settings: changes.settings ?? before.settings,
    failingSince: isForgiven ? undefined : before.failingSince,
    updatedAt: now,
    ...(isSwitched ? switchedTo(isEnabled, now) : {}),
  };
  return { endpoint, givesUp: isSwitched && !isEnabled };
}

/** The members that say so, of an endpoint that somebody enables or disables. */
export const switchedTo = (
  isEnabled: boolean,
  now: Date,
): Pick<Endpoint, "isEnabled" | "disabledReason" | "disabledAt"> =>
  isEnabled
    ? { isEnabled, disabledReason: undefined, disabledAt: undefined }
    : { isEnabled, disabledReason: "by-request", disabledAt: now };

/** For each organization and kind. */
export const maxEndpoints = 50;

/** Every key makes one more header and one more HMAC of every message. */
export const maxConnectSecrets = 10;

const hourMs = 60 * 60 * 1000;

/** How long the secret before the last rotation signs as well. */
export const overlapMs = 24 * hourMs;

/** How long a repeated request is answered as the first was. */
export const keyLifetimeMs = 24 * hourMs;

/** How long events, their deliveries and the attempts are kept. */
export const retentionMs = 30 * 24 * hourMs;
