import type { AuditEvent } from "#gen/assent/sign/v1/agreement_pb.ts";
import { statusOf } from "./envelope.ts";
import { compatTime, type Written } from "./scalars.ts";

/** `EnvelopeAuditEventResponse`. */
export const auditEventsView = (events: readonly AuditEvent[]): Written => ({ auditEvents: events.map(eventView) });

const eventView = (event: AuditEvent): Written => {
  const { name, says } = actions.get(event.action) ?? { name: event.action, says: event.action };
  const message = event.actorName === "" ? says : `${event.actorName}: ${says}`;
  const fields: readonly (readonly [string, string])[] = [
    ["logTime", compatTime(event.occurredAt) ?? ""],
    ["Source", event.source],
    ["UserName", event.actorName],
    ["UserId", event.actorId],
    ["Email", event.actorEmail],
    ["Action", name],
    ["Message", message],
    ["EnvelopeStatus", statusOf(event.agreementStatus)],
    ["ClientIPAddress", event.ip],
    ["UserAgent", event.userAgent],
    ["Information", event.detailsJson],
    ["InformationLocalized", message],
    ["GeoLocation", ""],
    ["Language", "en"],
    ["Sequence", String(event.sequence)],
    ["Hash", Buffer.from(event.hash).toString("hex")],
  ];
  return { eventFields: fields.map(([field, value]) => ({ name: field, value })) };
};

/** Where DocuSign has a name of its own. */
const actions: ReadonlyMap<string, { readonly name: string; readonly says: string }> = new Map([
  ["agreement.created", { name: "Registered", says: "The envelope was created." }],
  ["agreement.modified", { name: "Modified", says: "The envelope was changed." }],
  ["agreement.sent", { name: "Sent", says: "The envelope was sent." }],
  ["agreement.scheduled", { name: "Scheduled", says: "The envelope was scheduled to be sent." }],
  ["agreement.paused", { name: "Workflow Paused", says: "The workflow of the envelope was paused." }],
  ["agreement.resumed", { name: "Workflow Resumed", says: "The workflow of the envelope was resumed." }],
  ["agreement.resent", { name: "Resent", says: "The recipients were asked again." }],
  ["agreement.corrected", { name: "Corrected", says: "The sender corrected the envelope." }],
  ["agreement.locked", { name: "Locked", says: "The sender locked the envelope to change it." }],
  ["agreement.unlocked", { name: "Unlocked", says: "The sender unlocked the envelope." }],
  ["agreement.reminded", { name: "Reminded", says: "The recipients were reminded." }],
  ["agreement.delivered", { name: "Delivered", says: "Everyone whose turn it is has opened the envelope." }],
  ["agreement.completing", { name: "All Signed", says: "Everyone has signed." }],
  ["agreement.completed", { name: "Completed", says: "The envelope was completed." }],
  ["agreement.logged", { name: "Logged", says: "The audit trail was entered into the evidence log." }],
  ["agreement.declined", { name: "Envelope Declined", says: "The envelope has ended because it was declined." }],
  ["agreement.voided", { name: "Voided", says: "The envelope was voided." }],
  ["agreement.expired", { name: "Expired", says: "The envelope has expired." }],
  ["agreement.erased", { name: "Erased", says: "Personal data was erased from the envelope." }],
  ["agreement.purge-requested", { name: "Purge Queued", says: "The documents were put into the purge queue." }],
  ["agreement.purge-withdrawn", { name: "Purge Dequeued", says: "The documents were taken out of the purge queue." }],
  ["agreement.purged", { name: "Purged", says: "The documents were purged." }],
  ["recipient.sent", { name: "Sent Invitations", says: "A recipient was asked to act." }],
  ["recipient.mailed", { name: "Mailed", says: "A recipient was sent an email." }],
  ["recipient.mail-failed", { name: "Mail Failed", says: "An email to a recipient could not be delivered." }],
  ["recipient.code-sent", { name: "Authentication Code Sent", says: "The recipient was sent a code." }],
  ["recipient.verified", { name: "Authentication Passed", says: "The recipient passed an authentication check." }],
  [
    "recipient.verification-failed",
    { name: "Authentication Failed", says: "The recipient failed an authentication check." },
  ],
  [
    "recipient.verification-locked",
    { name: "Authentication Locked", says: "The recipient failed an authentication check too often." },
  ],
  [
    "recipient.verification-unlocked",
    { name: "Authentication Unlocked", says: "The sender unlocked the authentication of the recipient." },
  ],
  ["recipient.link-made", { name: "Link Created", says: "A link to sign was made." }],
  ["recipient.opened", { name: "Opened", says: "The recipient opened the envelope." }],
  ["recipient.delivered", { name: "Delivered", says: "The recipient received the envelope." }],
  ["recipient.viewed", { name: "Viewed", says: "The recipient viewed the envelope." }],
  ["recipient.consented", { name: "Consented", says: "The recipient agreed to electronic records." }],
  ["recipient.attached", { name: "Attachment Added", says: "The recipient attached a file." }],
  ["recipient.left", { name: "Finish Later", says: "The recipient will finish later." }],
  ["recipient.signed", { name: "Signed", says: "The recipient signed." }],
  ["recipient.approved", { name: "Approved", says: "The recipient approved." }],
  ["recipient.completed", { name: "Signed", says: "The recipient has completed." }],
  ["recipient.copied", { name: "Copied", says: "The recipient was sent a copy." }],
  ["recipient.declined", { name: "Declined", says: "The recipient declined." }],
]);
