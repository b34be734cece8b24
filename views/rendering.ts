import type { Rendering } from "#gen/assent/click/v1/click_pb.ts";
import { isoTime } from "./scalars.ts";

/** A rendering as the REST API shows it. */
export const renderingView = (rendering: Rendering): Record<string, unknown> => ({
  renderId: rendering.renderId,
  deploymentKey: rendering.deploymentKey ?? null,
  sessionId: rendering.sessionId ?? null,
  templateId: rendering.templateId,
  templateType: rendering.templateType,
  versionId: rendering.versionId,
  revision: rendering.revision,
  label: rendering.label === "" ? null : rendering.label,
  isDraft: rendering.isDraft,
  locale: rendering.locale,
  title: rendering.title,
  html: rendering.html,
  contentHash: rendering.contentHash,
  renderHash: rendering.renderHash,
  noticeText: rendering.noticeText,
  buttonText: rendering.buttonText,
  declineText: rendering.declineText,
  checkboxText: rendering.checkboxText,
  purposes: rendering.purposes,
  documents: rendering.documents,
  policy: rendering.policy ?? {},
  verification: rendering.verification ?? {},
  displayMode: rendering.displayMode === "" ? null : rendering.displayMode,
  theme: rendering.theme ?? {},
  alreadyAccepted: rendering.alreadyAccepted,
  renderToken: rendering.renderToken === "" ? null : rendering.renderToken,
  renderedAt: isoTime(rendering.renderedAt),
  expiresAt: isoTime(rendering.expiresAt),
});
