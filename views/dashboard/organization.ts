import { type ApiKey, type OAuthClient, type Organization, Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import type { AuditEvent } from "#gen/assent/auth/v1/organization_pb.ts";
import { isoTime } from "../scalars.ts";
import { lowerName, orNull } from "./user.ts";

type GroupLimits = Readonly<Record<"accept" | "render" | "other" | "sign", number>>;

/** An organization with the limits in force; `defaults` are those of the platform. */
export function organizationView({ limits = undefined, ...organization }: Organization, defaults: GroupLimits): object {
  return {
    id: organization.id,
    name: organization.name,
    plan: lowerName(Plan, organization.plan),
    sandbox: organization.sandbox,
    limits: {
      accept: limits?.accept ?? defaults.accept,
      render: limits?.render ?? defaults.render,
      other: limits?.other ?? defaults.other,
      sign: limits?.sign ?? defaults.sign,
    },
    locale: orNull(organization.locale),
    timeZone: orNull(organization.timeZone),
    createdAt: isoTime(organization.createdAt),
  };
}

export const apiKeyView = (key: ApiKey): object => ({ id: key.id, name: key.name, ...times(key) });

export const clientView = (client: OAuthClient): object => ({
  id: client.id,
  name: client.name,
  scopes: client.scopes,
  ...times(client),
});

const times = ({ createdAt, lastUsedAt, revokedAt }: ApiKey | OAuthClient): object => ({
  createdAt: isoTime(createdAt),
  lastUsedAt: isoTime(lastUsedAt),
  revokedAt: isoTime(revokedAt),
});

export const auditEventView = (event: AuditEvent): object => ({
  id: event.id,
  at: isoTime(event.at),
  action: event.action,
  actorId: orNull(event.actorId),
  actorName: orNull(event.actorName),
  subjectId: orNull(event.subjectId),
  subjectName: orNull(event.subjectName),
  details: { ...event.details },
  requestId: orNull(event.requestId),
  ip: orNull(event.ip),
  userAgent: orNull(event.userAgent),
});
