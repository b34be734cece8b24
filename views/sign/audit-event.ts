import type { AuditEvent } from "#gen/assent/sign/v1/agreement_pb.ts";
import { isoTime } from "../scalars.ts";
import { statuses } from "./names.ts";
import { hexOrNull, objectOf, textOrNull } from "./texts.ts";

export const auditEventView = (event: AuditEvent) => ({
  sequence: event.sequence,
  occurredAt: isoTime(event.occurredAt),
  action: event.action,
  source: event.source,
  actor: { id: textOrNull(event.actorId), name: textOrNull(event.actorName), email: textOrNull(event.actorEmail) },
  ip: textOrNull(event.ip),
  userAgent: textOrNull(event.userAgent),
  claimed: claimedIn(event),
  details: objectOf(event.detailsJson),
  agreementStatus: statuses.nameOf(event.agreementStatus),
  previousHash: hexOrNull(event.previousHash),
  hash: hexOrNull(event.hash),
});

/** What is not seen by us but said: by the program that sent the request, or by the sender. Not part of the hash. */
const claimedIn = ({ userAgent, detailsJson }: AuditEvent): string[] => [
  ...(userAgent === "" ? [] : ["userAgent"]),
  ...(detailsJson.includes('"authenticationMethod"') ? ["details.authenticationMethod"] : []),
];
