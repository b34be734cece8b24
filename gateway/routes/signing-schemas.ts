import { example, text } from "./schema-parts.ts";

export const signingTag = "Signing page";

export const sessionParam = {
  schema: example(
    { type: "string", pattern: "^[A-Za-z0-9_-]{22}$", description: "The ID of the session, not its secret." },
    "q3Vw8Zk1mX0sT5bR7yPd2A",
  ),
  names: "signingSession",
  otherwise: "VIEW_URL_EXPIRED",
} as const;

export const documentParam = {
  schema: example(text(1, 100, "The documentId of the document."), "1"),
  names: "documentId",
  otherwise: "DOCUMENT_NOT_FOUND",
} as const;

/** Two MB: a signature and initials that are drawn, and what was typed into many fields. */
export const maxFinishBytes = 2 * 1024 * 1024;
/** Five MB in Base64. */
export const maxAttachmentBytes = 7 * 1024 * 1024;
