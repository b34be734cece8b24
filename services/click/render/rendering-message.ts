import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { RenderingSchema } from "#gen/assent/click/v1/click_pb.ts";
import { linkedDocuments, verificationRequirements } from "../accept/verification.ts";
import type { Policy } from "../terms/policy.ts";
import type { Rendered } from "./compose.ts";

/** The rendering without its token. */
export function renderingMessage(rendered: Rendered): MessageInitShape<typeof RenderingSchema> {
  const { text, terms, words, placement, sessionId } = rendered;
  return {
    renderId: rendered.renderId,
    deploymentKey: placement?.key,
    templateId: text.templateId,
    templateType: terms.type,
    versionId: text.versionId,
    revision: text.revision,
    label: text.label,
    locale: text.locale,
    title: words.title,
    html: rendered.html,
    contentHash: text.contentHash,
    renderHash: rendered.renderHash,
    noticeText: words.noticeText,
    buttonText: words.buttonText,
    declineText: words.declineText,
    checkboxText: words.checkboxText,
    purposes: words.purposes.map((purpose) => ({ ...purpose })),
    policy: pagePolicy(terms.policy),
    verification: verificationRequirements(terms.policy),
    alreadyAccepted: rendered.alreadyAccepted,
    renderedAt: timestampFromDate(rendered.renderedAt),
    expiresAt: timestampFromDate(rendered.expiresAt),
    allowedOrigins: [...(placement?.allowedOrigins ?? [])],
    displayMode: placement?.displayMode ?? displayModeOf(terms.typeConfig),
    sessionId: sessionId ?? undefined,
    isDraft: rendered.isDraft,
    theme: placement?.theme,
    documents: linkedDocuments(terms).map((document) => ({ ...document })),
  };
}

/** What the page has to honour; the other flags are nobody's business but ours. */
const pageFlags = [
  "requireCheckbox",
  "requireScroll",
  "requireView",
  "minDisplaySeconds",
  "requireRenderToken",
  "requireTypedName",
  "allowDecline",
  "minAge",
  "esignDisclosure",
  "honorGpc",
] as const;

const pagePolicy = (policy: Policy & JsonObject): JsonObject =>
  Object.fromEntries(pageFlags.flatMap((flag) => (policy[flag] === undefined ? [] : [[flag, policy[flag]]])));

const displayModeOf = ({ displayMode }: JsonObject): string =>
  typeof displayMode === "string" ? displayMode : "INLINE";
