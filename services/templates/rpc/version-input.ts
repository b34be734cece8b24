import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type CreateVersionRequest,
  type VersionTexts as TextsMessage,
  ContentFormat as WireFormat,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { VersionTexts } from "../domain/content.ts";
import { parseLocale } from "../domain/locale.ts";
import type { NewVersion } from "../domain/new-version.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { unstorableTexts } from "../domain/text.ts";
import { purposeTextProblems } from "../domain/version.ts";
import { fromWire, wireFormat } from "./wire-enums.ts";

/** Reads a new version; throws CLICK_VALIDATION_FAILED. */
export function parseNewVersion(request: CreateVersionRequest): NewVersion {
  const { texts, ...version } = {
    locale: parseLocale("locale", request.locale),
    title: request.title ?? null,
    content: request.content,
    format: parseFormat(request.format),
    changeSummary: request.changeSummary ?? null,
    effectiveAt: parseTime("effectiveAt", request.effectiveAt),
    texts: parseTexts(request.texts),
  };
  // Clients give the texts beside the other fields, so the problems name them without a prefix.
  refuse([...unstorableTexts("", { ...version, ...texts }), ...purposeTextProblems(texts.purposeTexts ?? {})]);
  return { ...version, texts };
}

/** A time that the database can keep; null when absent. Throws CLICK_VALIDATION_FAILED. */
export function parseTime(field: string, timestamp: Timestamp | undefined): Date | null {
  if (timestamp === undefined) return null;
  const date = timestampDate(timestamp);
  if (date >= earliest && date < latest) return date;
  throw invalid(problem(field, "INVALID_TIME", "must lie in the years 1 to 9999"));
}

const earliest = new Date("0001-01-01T00:00:00Z");
const latest = new Date("+010000-01-01T00:00:00Z");

/** HTML when unspecified; throws CLICK_VALIDATION_FAILED. */
export function parseFormat(value: WireFormat) {
  const format = value === WireFormat.UNSPECIFIED ? "HTML" : fromWire(wireFormat, value);
  if (format !== undefined) return format;
  throw invalid(problem("format", "INVALID_FORMAT", "must be html, markdown or text"));
}

export const textFields = ["consentText", "buttonText", "declineText", "checkboxText", "linkText"] as const;

/** Absent texts are left out. */
export function parseTexts(message: TextsMessage | undefined): VersionTexts {
  if (message === undefined) return {};
  const given = textFields.filter((field) => message[field] !== undefined).map((field) => [field, message[field]]);
  const purposes = Object.keys(message.purposeTexts).length > 0 ? { purposeTexts: message.purposeTexts } : {};
  return { ...Object.fromEntries(given), ...purposes };
}
