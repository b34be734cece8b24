import type { JsonObject } from "@bufbuild/protobuf";
import { invalid, lineProblems, parseJsonObject, problem } from "./problems.ts";

const maxFileName = 255;
/** The length of a name derived from a title. */
const maxDerivedName = 200;

/** The file name of a document, made from this title when none is given; throws GEN_INVALID_REQUEST. */
export function parseFileName(field: string, text: string, title: string): string {
  if (text === "") return withPdf(safeName(title));
  const name = withPdf(text.trim());
  const isPath = /[/\\]/.test(name) || /^\.*\.pdf$/i.test(name);
  if (isPath || lineProblems(field, text).length > 0 || directional.test(name)) {
    const message = "must be a file name without path separators and without control or directional characters";
    throw invalid(problem(field, "INVALID_FILE_NAME", message));
  }
  if (name.length > maxFileName) {
    throw invalid(problem(field, "TOO_LONG", `must have at most ${maxFileName} characters, .pdf included`));
  }
  return name;
}

/** Characters that let a name appear to have another extension. */
const directional = /[\u202a-\u202e\u2066-\u2069]/;

const withPdf = (name: string): string => (/\.pdf$/i.test(name) ? name : `${name}.pdf`);

function safeName(title: string): string {
  const name = title
    .toWellFormed()
    .replaceAll(/[/\\\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, "-")
    .slice(0, maxDerivedName)
    .toWellFormed()
    .replaceAll(/^[\s.]+|[\s.]+$/g, "");
  return name === "" ? "document" : name;
}

export const defaultTimeZone = "UTC";

/** Throws GEN_INVALID_REQUEST for anything but an IANA time zone. */
export function parseTimeZone(field: string, name: string): string {
  if (name === "") return defaultTimeZone;
  try {
    // Intl also accepts offsets, which are not zones.
    if (/^[A-Za-z]/.test(name)) {
      new Intl.DateTimeFormat("en", { timeZone: name });
      return name;
    }
  } catch {
    // Answered below.
  }
  throw invalid(problem(field, "INVALID_TIME_ZONE", "must be an IANA time zone such as Europe/Berlin"));
}

/** Texts that are returned with the document; null when there are none. Throws GEN_INVALID_REQUEST. */
export function parseMetadata(field: string, text: string): JsonObject | null {
  if (text === "") return null;
  const metadata = parseJsonObject(field, text);
  const wrong = Object.entries(metadata).find(([, value]) => typeof value !== "string");
  if (wrong !== undefined) {
    throw invalid(problem(`${field}.${wrong[0].slice(0, 100).toWellFormed()}`, "INVALID_TYPE", "must be a text"));
  }
  return metadata;
}
