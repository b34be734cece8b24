import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AcceptBatchRequest,
  type AcceptBatchRequest_Item,
  ClickService,
  type CompleteSessionRequest,
  type CreateSessionRequest,
  SessionOrigin,
  SessionOutcome,
  SessionStatus,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

/** A click service that keeps everything in memory: enough to tell a record, a replay and a reused key apart. */
export function createFakeClick() {
  const receipts = new Map<string, { body: string; receiptId: string; json: string; organizationId: string }>();
  const sessions = new Map<string, { organizationId: string; userRef: string | undefined }>();
  const seen: {
    batches: AcceptBatchRequest[];
    sessions: CreateSessionRequest[];
    completions: CompleteSessionRequest[];
  } = {
    batches: [],
    sessions: [],
    completions: [],
  };
  /** What a batch does before it is recorded, such as failing. */
  const before: { batch: (request: AcceptBatchRequest) => Promise<void> | void } = { batch: () => {} };

  const record = ({ caller, idempotencyKey, body }: AcceptBatchRequest_Item) => {
    const text = Buffer.from(body).toString();
    const organizationId = caller?.organizationId ?? "";
    const key = `${organizationId} ${idempotencyKey}`;
    const known = receipts.get(key);
    if (known === undefined) {
      const receiptId = newId();
      const json = `{"receiptId":"${receiptId}",  "idempotencyKey":${JSON.stringify(idempotencyKey)}}`;
      receipts.set(key, { body: text, receiptId, json, organizationId });
      return receiptOutcome(receiptId, json, false);
    }
    if (known.body !== text) {
      return { outcome: { case: "error" as const, value: { errorCode: "CLICK_IDEMPOTENCY_KEY_REUSED" } } };
    }
    return receiptOutcome(known.receiptId, known.json, true);
  };
  const sessionOf = (id: string, organizationId: string) => {
    const session = sessions.get(id);
    if (session?.organizationId !== organizationId) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    return {
      id,
      organizationId,
      templateId: newId(),
      templateSlug: "terms",
      templateType: "STATIC",
      versionId: newId(),
      revision: 1,
      label: "1.0",
      locale: "en",
      contentHash: `sha256:${"0".repeat(64)}`,
      userRef: session.userRef,
      status: SessionStatus.PENDING,
      outcome: SessionOutcome.UNSPECIFIED,
      origin: SessionOrigin.API,
      policy: { verificationMethods: [] },
      createdAt: now,
      updatedAt: now,
      expiresAt: now,
    };
  };

  const routes: RpcRoutes = (router) => {
    router.service(ClickService, {
      acceptBatch: async (request) => {
        seen.batches.push(request);
        await before.batch(request);
        return { results: request.items.map(record) };
      },
      createSession: (request, context) => {
        const { orgId } = requireCaller(context);
        seen.sessions.push(request);
        const id = newId();
        sessions.set(id, { organizationId: orgId, userRef: request.userRef });
        return { session: sessionOf(id, orgId) };
      },
      getSession: ({ sessionId }, context) => ({ session: sessionOf(sessionId, requireCaller(context).orgId) }),
      completeSession: (request, context) => {
        const session = sessionOf(request.sessionId, requireCaller(context).orgId);
        seen.completions.push(request);
        const completed = {
          ...session,
          status: SessionStatus.COMPLETED,
          outcome: SessionOutcome.NONE,
          completedAt: now,
        };
        return { session: completed, receiptsJson: ['{"receiptId":"r-1"}'] };
      },
      getReceipt: ({ receiptId }, context) => {
        const { orgId } = requireCaller(context);
        const found = [...receipts.values()].find((r) => r.receiptId === receiptId && r.organizationId === orgId);
        if (found === undefined) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
        return { receiptJson: found.json };
      },
      getEvidenceBundle: ({ sessionId }, context) => {
        sessionOrEvidence(sessions.get(sessionId)?.organizationId, requireCaller(context).orgId);
        return { bundleJson: JSON.stringify({ bundleVersion: 1, sessionId }) };
      },
    });
  };
  return { routes, receipts, sessions, seen, before };
}

function sessionOrEvidence(owner: string | undefined, orgId: string): void {
  if (owner !== orgId) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
}

const receiptOutcome = (receiptId: string, receiptJson: string, replayed: boolean) => ({
  outcome: { case: "receipt" as const, value: { receiptId, receiptJson, replayed } },
});

export type FakeClick = ReturnType<typeof createFakeClick>;
