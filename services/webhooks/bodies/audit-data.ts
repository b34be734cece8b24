import type { Audited, AuditParty, Event } from "#gen/assent/events/v1/events_pb.ts";
import { type DataMakers, textOrNull } from "./event-parts.ts";

type AuditCase =
  `audited${"Authentication" | "Account" | "Credential" | "Organization" | "Integration" | "Privacy" | "Template"}`;

/** These events say all there is to say, and nothing that tells who a person is. */
export const auditData = (audited: Audited, { requestId }: Event) => ({
  action: audited.action,
  ...{ actor: partyOf(audited.actor), target: partyOf(audited.target), outcome: audited.outcome },
  changes: audited.changes.map(({ field, value }) => ({ field, value: textOrNull(value) })),
  requestId: textOrNull(requestId),
});

const partyOf = (party: AuditParty | undefined) => ({ kind: party?.kind ?? "", id: textOrNull(party?.id) });

const told = (audited: Audited, _lookups: unknown, event: Event) => ({ audit: auditData(audited, event) });

export const auditMakers: DataMakers<AuditCase> = {
  auditedAuthentication: told,
  auditedAccount: told,
  auditedCredential: told,
  auditedOrganization: told,
  auditedIntegration: told,
  auditedPrivacy: told,
  auditedTemplate: told,
};
