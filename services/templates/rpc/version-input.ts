import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import {
  type CreateVersionRequest,
  CreateVersionRequestSchema,
  type VersionTexts as TextsMessage,
  type UpdateVersionRequest,
  VersionChangesSchema,
  VersionTextsSchema,
  ContentFormat as WireFormat,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { VersionTexts } from "../domain/content.ts";
import { parseLocale } from "../domain/locale.ts";
import type { NewVersion } from "../domain/new-version.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { unstorableTexts } from "../domain/text.ts";
import { purposeTextProblems } from "../domain/version.ts";
import type { VersionChanges } from "../domain/version-changes.ts";
import { fromWire, wireFormat } from "./wire-enums.ts";

const created = recordsOf(CreateVersionRequestSchema, { format: WireFormat });
const changed = recordsOf(VersionChangesSchema, { format: WireFormat });
const words = recordsOf(VersionTextsSchema);

/** Reads a new version; throws CLICK_VALIDATION_FAILED. */
export function parseNewVersion(request: CreateVersionRequest): NewVersion {
  const { templateId, texts: _, ...given } = created.read(request);
  const version = {
    ...given,
    locale: parseLocale("locale", given.locale),
    format: given.format ?? "HTML",
    effectiveAt: storableTime("effectiveAt", given.effectiveAt),
  };
  const texts = parseTexts(request.texts);
  checkTexts({ ...version, ...texts });
  return { ...version, texts };
}

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED. */
export function parseVersionChanges(request: UpdateVersionRequest): VersionChanges {
  const message = request.changes;
  if (message === undefined) throw invalid(problem("changes", "REQUIRED", "must be given"));
  const { changes, parts, unknown } = changed.masked(message, request.updateMask?.paths ?? []);
  refuse(unknown.map((path) => problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which cannot be changed`)));
  const { locale, content, format, effectiveAt, texts, ...plain } = changes;
  const given = parseTexts(message.texts);
  const single = (parts.texts ?? []).map((name) => [name, given[name as keyof VersionTexts]]);
  const version: VersionChanges = {
    ...plain,
    ...(locale === undefined ? {} : { locale: parseLocale("locale", required("locale", locale)) }),
    ...(content === undefined ? {} : { content: required("content", content) }),
    ...(format === undefined ? {} : { format: format ?? "HTML" }),
    ...(effectiveAt === undefined ? {} : { effectiveAt: storableTime("effectiveAt", effectiveAt) }),
    ...(texts === undefined ? {} : { texts: given }),
    singleTexts: Object.fromEntries(single),
  };
  const { texts: all, singleTexts, ...others } = version;
  checkTexts({ ...others, ...all, ...singleTexts });
  return version;
}

/** Clients give the texts beside the other fields, so the problems name them without a prefix. */
const checkTexts = (given: NonNullable<VersionChanges["singleTexts"]>): void =>
  refuse([...unstorableTexts("", given), ...purposeTextProblems(given.purposeTexts ?? {})]);

function required<T>(field: string, value: T | null): T {
  if (value === null) throw invalid(problem(field, "REQUIRED", "cannot be cleared"));
  return value;
}

/** A time that the database can keep; null when absent. Throws CLICK_VALIDATION_FAILED. */
export const parseTime = (field: string, timestamp: Timestamp | undefined): Date | null =>
  storableTime(field, timestamp === undefined ? null : timestampDate(timestamp));

function storableTime(field: string, date: Date | null): Date | null {
  if (date === null || (date >= earliest && date < latest)) return date;
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

/** Absent texts are left out, and so are no texts of purposes. */
export function parseTexts(message: TextsMessage | undefined): VersionTexts {
  if (message === undefined) return {};
  const given = Object.entries(words.read(message)).filter(
    ([, text]) => text !== null && (typeof text === "string" || Object.keys(text).length > 0),
  );
  return Object.fromEntries(given);
}
