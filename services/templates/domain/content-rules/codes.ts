import type { TemplateType } from "../type-config.ts";

const everyType = ["STATIC", "GENERATED", "CONSENT"] as const;

/** Every rule about content, with the types of templates that it holds for. The codes are part of the public API. */
const typesOfRules = {
  CONTENT_EMPTY: everyType,
  CONTENT_TOO_LARGE: everyType,
  CONTENT_NOT_NFC: everyType,
  CONTENT_CONTROL_CHARACTER: everyType,
  CONTENT_ELEMENT_FORBIDDEN: everyType,
  CONTENT_ATTRIBUTE_FORBIDDEN: everyType,
  CONTENT_URL_FORBIDDEN: everyType,
  CONTENT_REMOTE_RESOURCE: everyType,
  CONTENT_COMMENT_FORBIDDEN: everyType,
  CONTENT_MALFORMED_HTML: everyType,
  CONTENT_MALFORMED_PDF: everyType,
  CONTENT_PDF_NOT_ALLOWED: ["GENERATED"],
  CONTENT_PLACEHOLDER_NOT_ALLOWED: ["STATIC", "CONSENT"],
  CONTENT_PLACEHOLDER_INVALID: ["GENERATED"],
  CONTENT_PLACEHOLDER_UNKNOWN: ["GENERATED"],
  CONTENT_VARIABLE_UNUSED: ["GENERATED"],
  CONTENT_NO_PLACEHOLDER: ["GENERATED"],
  CONSENT_PRECHECKED: ["CONSENT"],
  CONSENT_BUNDLED: ["CONSENT"],
  CONSENT_WITHDRAWAL_MISSING: ["CONSENT"],
  CONSENT_CONTROLLER_MISSING: ["CONSENT"],
  CONSENT_PURPOSES_MISSING: ["CONSENT"],
  NOTICE_BUTTON_MISMATCH: everyType,
  A11Y_LANGUAGE_INVALID: everyType,
  A11Y_LANGUAGE_MISMATCH: everyType,
  A11Y_HEADING_ORDER: everyType,
  A11Y_LINK_TEXT: everyType,
  CONTENT_TOO_MANY_ERRORS: everyType,
} as const satisfies Record<string, readonly TemplateType[]>;

export type ContentCode = keyof typeof typesOfRules;

/** The codes that content of a template of this type can get. */
export const contentRuleCodes = (type: TemplateType): ContentCode[] =>
  (Object.keys(typesOfRules) as ContentCode[]).filter((code) =>
    (typesOfRules[code] as readonly TemplateType[]).includes(type),
  );
