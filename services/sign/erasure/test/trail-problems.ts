import { timestampDate } from "@bufbuild/protobuf/wkt";
import { AgreementStatus, type AuditEvent } from "#gen/assent/sign/v1/agreement_pb.ts";
import { checkTrail } from "../../../../test/support/check-trail.ts";

/** The name of a value of an enumeration of the contract. */
export const nameOf = (values: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(values).find(([, one]) => one === value)?.[0] ?? "";

/** By hand, as docs/sign.md says. */
export const trailProblems = (agreementId: string, events: readonly AuditEvent[]): readonly string[] =>
  checkTrail(
    agreementId,
    events.map(({ publicJson, detailsJson, hash, previousHash, ...event }) => ({
      ...{ ...event, publicPart: publicJson === "" ? null : JSON.parse(publicJson) },
      ...{ occurredAt: event.occurredAt && timestampDate(event.occurredAt).toISOString(), ip: event.ip },
      ...{ agreementStatus: nameOf(AgreementStatus, event.agreementStatus).toLowerCase() },
      actor: { id: event.actorId, name: event.actorName, email: event.actorEmail },
      details: detailsJson === "" ? {} : JSON.parse(detailsJson),
      ...{ hash: Buffer.from(hash).toString("hex"), previousHash: Buffer.from(previousHash).toString("hex") },
    })),
  ).problems;
