import type { JsonObject } from "@bufbuild/protobuf";
import { type Session, SessionOrigin, SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { enumName, isoTime } from "./scalars.ts";

/** A session as the REST API shows it to clients that reach the API at publicUrl. */
export const sessionView = (session: Session, publicUrl: string): Record<string, unknown> => ({
  id: session.id,
  organizationId: session.organizationId,
  templateId: session.templateId,
  templateSlug: session.templateSlug,
  templateType: session.templateType,
  versionId: session.versionId,
  revision: session.revision,
  label: session.label,
  locale: session.locale,
  contentHash: session.contentHash,
  renderHash: session.renderHash ?? null,
  userRef: session.userRef ?? null,
  status: enumName(SessionStatus, session.status),
  outcome: enumName(SessionOutcome, session.outcome),
  origin: enumName(SessionOrigin, session.origin),
  deploymentId: session.deploymentId ?? null,
  data: session.data ?? null,
  ...renderView(session, publicUrl),
  verification: session.verification ?? verificationView(session),
  policy: session.policy ?? {},
  receiptIds: session.receiptIds,
  metadata: session.metadata,
  returnUrl: session.returnUrl ?? null,
  createdAt: isoTime(session.createdAt),
  presentedAt: isoTime(session.presentedAt),
  acceptedAt: isoTime(session.acceptedAt),
  completedAt: isoTime(session.completedAt),
  expiresAt: isoTime(session.expiresAt),
  updatedAt: isoTime(session.updatedAt),
  erased: session.erased,
  restricted: session.restricted,
});

/** A session that is closed has no token. */
function renderView({ id, renderToken }: Session, publicUrl: string): Record<string, unknown> {
  if (renderToken === "") return { renderUrl: null, renderToken: null };
  return { renderUrl: `${publicUrl}/v1/click/render/sessions/${id}?token=${renderToken}`, renderToken };
}

/** An acceptance is recorded only when the policy is satisfied, so an accepted session has passed its methods. */
function verificationView({ policy, acceptedAt }: Session): JsonObject {
  const methods = Array.isArray(policy?.verificationMethods) ? policy.verificationMethods : [];
  const required = methods.length > 0;
  return { required, methods, satisfied: !required || acceptedAt !== undefined };
}
