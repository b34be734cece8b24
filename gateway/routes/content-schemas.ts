import { answer, anyText, count, described, flag, listOf, object, oneOf, text } from "./schema-parts.ts";

export interface ValidateContentBody {
  readonly type: "STATIC" | "GENERATED" | "CONSENT";
  readonly content: string;
  readonly format?: "html" | "markdown" | "text";
}

export const validateContentSchema = object(
  {
    type: described(oneOf("STATIC", "GENERATED", "CONSENT"), "Selects the rules."),
    content: text(0, 2_097_152),
    format: described(oneOf("html", "markdown", "text"), "html when absent."),
  },
  ["type", "content"],
);

const findingSchema = answer({
  code: anyText,
  message: anyText,
  severity: oneOf("ERROR", "WARNING"),
  path: described(anyText, "content, or a part of it such as content.placeholder."),
  line: described(count, "From 1."),
  column: described(count, "From 1, in UTF-16 code units."),
  offset: described(count, "From 0, in UTF-16 code units."),
  length: count,
  snippet: anyText,
});

export const contentReportSchema = answer({
  valid: described(flag, "True when there are no errors."),
  errors: listOf(findingSchema),
  warnings: listOf(findingSchema),
});
