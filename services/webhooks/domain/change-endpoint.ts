import type { Endpoint } from "./endpoint.ts";

/** What is undefined stays. */
export interface EndpointChanges {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly eventTypes?: readonly string[] | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly settings?: Endpoint["settings"];
}

export interface ChangedEndpoint {
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
