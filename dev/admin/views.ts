import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { ApiKey, OAuthClient, OAuthClientKey, Organization } from "#gen/assent/auth/v1/auth_pb.ts";
import type { SigningKey } from "#gen/assent/click/v1/click_pb.ts";
import type { DeadEvent } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { planName } from "./values.ts";

/** What the commands print of a message: the names that the rest of the product uses, and no secrets. */
export function organizationView(organization: Organization | undefined): object {
  if (organization === undefined) throw new Error("the answer contains no organization");
  const { accept = null, render = null, other = null, sign = null } = organization.limits ?? {};
  return {
    organizationId: organization.id,
    name: organization.name,
    plan: planName(organization.plan),
    sandbox: organization.sandbox,
    // null: the platform's default.
    limits: { accept, render, other, sign },
    createdAt: isoTime(organization.createdAt),
  };
}

export function keyView(key: ApiKey | undefined): object {
  if (key === undefined) throw new Error("the answer contains no key");
  const { id: keyId, name } = key;
  return { keyId, name, ...times(key) };
}

export function clientView(client: OAuthClient | undefined): object {
  if (client === undefined) throw new Error("the answer contains no client");
  const { id: clientId, name, scopes } = client;
  return { clientId, name, scopes, ...times(client) };
}

export function clientKeyView(key: OAuthClientKey | undefined): object {
  if (key === undefined) throw new Error("the answer contains no key");
  const { id: keyId, algorithm } = key;
  return { keyId, algorithm, createdAt: isoTime(key.createdAt), revokedAt: isoTime(key.revokedAt) };
}

const times = ({ createdAt, lastUsedAt, revokedAt }: ApiKey | OAuthClient): object => ({
  createdAt: isoTime(createdAt),
  // To about a minute.
  lastUsedAt: isoTime(lastUsedAt),
  revokedAt: isoTime(revokedAt),
});

export function signingKeyView(key: SigningKey | undefined): object {
  if (key === undefined) throw new Error("the answer contains no key");
  const { kid, purpose, generation } = key;
  const times = [key.signsFrom, key.signsUntil, key.revokedAt].map(isoTime);
  return { kid, purpose, generation, signsFrom: times[0], signsUntil: times[1], revokedAt: times[2] };
}

export function deadEventView(event: DeadEvent) {
  const { consumer, eventId, subject, error, deliveries, data } = event;
  return { consumer, eventId, subject, error, deliveries, diedAt: isoTime(event.diedAt), data };
}

/** Without what the event says and where in the program it failed. */
export function deadEventLine({ data: _data, error, ...rest }: ReturnType<typeof deadEventView>): object {
  return { ...rest, error: error.split("\n", 1)[0] };
}

const isoTime = (time: Timestamp | undefined): string | null =>
  time === undefined ? null : timestampDate(time).toISOString();
