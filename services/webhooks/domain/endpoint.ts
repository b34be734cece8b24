/** Standard: the product's own format, signed as Standard Webhooks 1.0. Connect: that of the compatible interface. */
export type EndpointKind = "standard" | "connect";

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
  /** Empty for all of its kind; those of the compatible interface have its names, such as envelope-sent. */
  readonly eventTypes: readonly string[];
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

/** With what its requests are signed. */
export interface EndpointSecrets {
  /** 32 bytes. */
  readonly current: Buffer;
  readonly previous: Buffer | undefined;
}
