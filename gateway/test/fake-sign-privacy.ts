import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { FakeSignCore, SignHandlers } from "./fake-sign.ts";

const sampleHold = {
  ...{ id: "0196aaaa-5678-7abc-8def-0123456789ab", kind: "person", agreementId: "", reason: "Lawsuit 1" },
  ...{ createdBy: "cl_test", createdAt: timestampFromDate(new Date(0)), liftedBy: "" },
};

const at = timestampFromDate(new Date(86_400_000));
const period = { status: "voided", days: 30, next: { days: 10, from: at } };
const agreementId = "01961234-5678-7abc-8def-0123456789ab";

/** How long agreements are kept, as the sign service answers it. Holds have the ids of agreements of their organization. */
export const createFakeSignPrivacy = ({ enter, agreements, held }: FakeSignCore): SignHandlers => {
  const requireTemplate = ({ orgId }: Caller, { templateId }: { readonly templateId: string }): void => {
    if (templateId !== "" && agreements.get(templateId)?.organizationId !== orgId)
      throw new DomainError("TEMPLATE_NOT_FOUND");
  };
  let mark = 0;
  return {
    getRetention: (request, context) => {
      requireTemplate(enter(context, "getRetention", request), request);
      return { periods: [period, { status: "completed" }] };
    },
    putRetention: (request, context) => {
      requireTemplate(enter(context, "putRetention", request), request);
      return { periods: [period] };
    },
    getFileSearch: (request, context) => {
      enter(context, "getFileSearch", request);
      return { setting: { enabled: false, files: 3n } };
    },
    putFileSearch: (request, context) => {
      enter(context, "putFileSearch", request);
      return { setting: { enabled: request.enabled, changedAt: at, files: 3n, filesRead: 2n } };
    },
    previewRetention: (request, context) => {
      enter(context, "previewRetention", request);
      return {
        counts: [{ status: "voided", agreements: 2 }],
        agreements: [{ agreementId, status: "voided", createdAt: at, dueAt: at, isHeld: true }],
        records: [{ kind: "acceptances", records: 7 }],
        purges: [{ agreementId, state: "documents_queued", requestedAt: at, dueAt: at, isHeld: false }],
        nextCursor: "1-2",
      };
    },
    setLegalHold: (request, context) => {
      const { orgId } = enter(context, "setLegalHold", request);
      const { agreementId, reason } = request;
      if (agreementId !== "" && agreements.get(agreementId)?.organizationId !== orgId)
        throw new DomainError("ENVELOPE_NOT_FOUND");
      return { hold: { ...sampleHold, reason } };
    },
    listLegalHolds: (request, context) => {
      enter(context, "listLegalHolds", request);
      return { holds: [sampleHold] };
    },
    liftLegalHold: (request, context) => {
      const { orgId } = enter(context, "liftLegalHold", request);
      if (agreements.get(request.id)?.organizationId !== orgId) throw new DomainError("LEGAL_HOLD_NOT_FOUND");
      return { hold: { ...sampleHold, liftedBy: "cl_test", liftedAt: at } };
    },
    findPersonHold: (request, context) => {
      enter(context, "findPersonHold", request);
      // As if there were another hold each time.
      mark += 1;
      return { mark, isHeld: held.has("") || held.has(request.userRef) };
    },
    listDeletions: (request, context) => {
      enter(context, "listDeletions", request);
      const times = { createdAt: at, endedAt: at, deletedAt: at };
      const log = { evidenceLeafHash: new Uint8Array(), deletionLeafHash: new Uint8Array(32), deletionLeafIndex: 3n };
      const trail = { trailHead: new Uint8Array(32).fill(1), trailLength: 9 };
      return { deletions: [{ agreementId, ground: "RETENTION", status: "voided", ...times, ...log, ...trail }] };
    },
    listPrivacyActs: (request, context) => {
      enter(context, "listPrivacyActs", request);
      const act = { id: sampleHold.id, at, action: "hold.set", actor: "cl_test", requestId: "request-1" };
      return { acts: [{ ...act, subjectId: sampleHold.id, detailsJson: '{"kind":"person"}' }] };
    },
  };
};
