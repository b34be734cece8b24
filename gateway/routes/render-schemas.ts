import type { JsonSchema } from "#api/kinds.ts";
import type { TextParam } from "./route.ts";
import {
  answer,
  anyObject,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  languageTag,
  listOf,
  oneOf,
  orNull,
  uuid,
} from "./schema-parts.ts";

export const deploymentKeyParam: TextParam = {
  names: "deploymentKey",
  schema: {
    type: "string",
    description: "The public key of a deployment.",
    maxLength: 26,
    pattern: "^dep_[0-9A-Za-z]{22}$",
    examples: ["dep_0123456789abcdefABCDEF"],
  },
  otherwise: "CLICK_RENDER_NOT_FOUND",
};

export const templateNameParam: TextParam = {
  names: "templateIdOrSlug",
  schema: {
    type: "string",
    description: "The id of a template or its slug.",
    maxLength: 100,
    pattern: "^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$",
    examples: ["terms-of-service"],
  },
  otherwise: "CLICK_TEMPLATE_NOT_FOUND",
};

export const scriptHashParam: TextParam = {
  names: "embedScriptHash",
  schema: {
    type: "string",
    description: "The hash of the script.",
    maxLength: 32,
    pattern: "^[0-9a-f]{32}$",
    examples: ["0123456789abcdef0123456789abcdef"],
  },
  otherwise: "CLICK_RENDER_NOT_FOUND",
};

export const renderingSchema: JsonSchema = answer({
  renderId: uuid,
  deploymentKey: orNull(anyText),
  sessionId: orNull(uuid),
  templateId: uuid,
  templateType: oneOf("STATIC", "GENERATED", "CONSENT"),
  versionId: uuid,
  revision: described(count, "0 for a draft."),
  label: orNull(anyText),
  isDraft: described(flag, "True for a preview of what was never published."),
  locale: languageTag,
  title: anyText,
  html: described(anyText, "The fragment to show; safe to insert as it is."),
  contentHash: hash,
  renderHash: described(hash, "Of html."),
  noticeText: anyText,
  buttonText: anyText,
  declineText: anyText,
  checkboxText: anyText,
  purposes: listOf(anyObject),
  documents: described(listOf(anyObject), "What belongs to a STATIC text: name, url, contentHash and mustRead."),
  policy: described(anyObject, "The flags that whoever shows the text must honour."),
  verification: anyObject,
  displayMode: orNull(oneOf("INLINE", "MODAL", "LINK", "FULL_PAGE")),
  theme: anyObject,
  alreadyAccepted: flag,
  renderToken: described(orNull(anyText), "Proves what was shown; send it with the acceptance."),
  renderedAt: orNull(dateTime),
  expiresAt: orNull(dateTime),
});
