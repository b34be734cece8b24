import { RenderingSchema } from "#gen/assent/click/v1/click_pb.ts";
import { anyObject, choice, count, flag, hash, languageTag, list, orNull, text, time, uuid } from "./kinds.ts";
import { readOnly } from "./members.ts";
import { shown } from "./resource.ts";

/** A text as it is to be shown. */
export const rendering = shown(RenderingSchema, {
  renderId: readOnly(uuid),
  deploymentKey: readOnly(orNull(text())),
  sessionId: readOnly(orNull(uuid)),
  templateId: readOnly(uuid),
  templateType: readOnly(choice("STATIC", "GENERATED", "CONSENT")),
  versionId: readOnly(uuid),
  revision: readOnly(count, { description: "0 for a draft." }),
  label: readOnly(orNull(text())),
  isDraft: readOnly(flag, { description: "True for a preview of what was never published." }),
  locale: readOnly(languageTag),
  title: readOnly(text()),
  html: readOnly(text(), { description: "The fragment to show; safe to insert as it is." }),
  contentHash: readOnly(hash),
  renderHash: readOnly(hash, { description: "Of html." }),
  noticeText: readOnly(text()),
  buttonText: readOnly(text()),
  declineText: readOnly(text()),
  checkboxText: readOnly(text()),
  purposes: readOnly(list(anyObject)),
  documents: readOnly(list(anyObject), {
    description: "What belongs to a STATIC text: name, url, contentHash and mustRead.",
  }),
  policy: readOnly(anyObject, {
    default: {},
    description: "The flags that whoever shows the text must honour.",
  }),
  verification: readOnly(anyObject, { default: {} }),
  displayMode: readOnly(orNull(choice("INLINE", "MODAL", "LINK", "FULL_PAGE"))),
  theme: readOnly(anyObject, { default: {} }),
  alreadyAccepted: readOnly(flag),
  renderToken: readOnly(orNull(text()), { description: "Proves what was shown; send it with the acceptance." }),
  renderedAt: readOnly(orNull(time)),
  expiresAt: readOnly(orNull(time)),
});
