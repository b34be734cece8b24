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
import { requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { defined } from "#platform/json-object.ts";
import { parseLocale } from "#platform/locale.ts";
import { authorsOf, bringsOtherWords, withAuthor } from "../domain/approval.ts";
import { materialHash, type VersionTexts } from "../domain/content.ts";
import { invalid, problem, refusal, refuse } from "../domain/problems.ts";
import { requireActive } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import {
  changeVersion,
  type DraftText,
  type NewVersion,
  purposeTextProblems,
  requireUnchanged,
  type Version,
  type VersionChanges,
} from "../domain/version.ts";
import { inOrganization } from "../store/orm.ts";
import { isLocaleTaken } from "../store/version-store.ts";
import { readMasked, when } from "./configuration.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { requireFile } from "./files.ts";
import { findRevision } from "./get-revision.ts";
import { contentFormatOf } from "./messages.ts";
import { lockNamedVersion } from "./named-version.ts";
import { requireUnscheduled } from "./schedule.ts";
import { describeVersions } from "./views.ts";

export const updateVersion = (deps: Pick<TemplatesDeps, "orm" | "clock">): TemplatesRpcs<"updateVersion"> => ({
  async updateVersion(request, context) {
    const { orgId, clientId } = requireCaller(context);
    const changes = parseVersionChanges(request);
    const ifUpdatedAt = parseTime("ifUpdatedAt", request.ifUpdatedAt);
    const work = inOrganization(orgId, deps.orm, async (tenant) => {
      const { template, version } = await lockNamedVersion(tenant, request);
      requireActive(template);
      const update = changeVersion(version, changes);
      requireUnchanged(ifUpdatedAt, version);
      if (Object.keys(update).length > 0) {
        await requireUnscheduled(tenant, version.id);
        await requireFile(tenant, version.templateId, { ...version, ...update });
        const authors = withAuthor(await authorsSoFar(tenant, version), clientId);
        Object.assign(version, update, { authors, updatedAt: deps.clock.now() });
      }
      const [message] = await describeVersions(tenant, [version]);
      return { version: message };
    });
    return work.catch((error: unknown) => {
      throw isLocaleTaken(error) ? new DomainError("CLICK_VERSION_LOCALE_EXISTS", { cause: error }) : error;
    });
  },
});

/** Whoever changes what was published before has not written it together with its authors. */
async function authorsSoFar(tenant: OrmTenant, version: Version): Promise<readonly string[]> {
  const { id: versionId, revision } = version;
  const last = revision === 0 ? null : await findRevision(tenant, { versionId, revision });
  if (last === null || last.materialHash !== materialHash(version)) return authorsOf(version);
  const hasOtherWords = bringsOtherWords(last, version) || bringsOtherWords(version, last);
  return hasOtherWords ? authorsOf(version) : [];
}

const created = recordsOf(CreateVersionRequestSchema, { format: WireFormat });
const changed = recordsOf(VersionChangesSchema, { format: WireFormat });
const words = recordsOf(VersionTextsSchema);

/** Reads a new version; throws CLICK_VALIDATION_FAILED. */
export function parseNewVersion(request: CreateVersionRequest): NewVersion {
  const { templateId, texts: _, locale, ...given } = created.read(request);
  return {
    locale: parseLocale("locale", locale, refusal),
    ...parseText({ ...given, format: given.format ?? "HTML" }, request.texts),
  };
}

/** Reads a whole text; throws CLICK_VALIDATION_FAILED. */
export function parseText(given: Omit<DraftText, "texts">, words: TextsMessage | undefined): DraftText {
  const text = { ...given, effectiveAt: storableTime("effectiveAt", given.effectiveAt) };
  const texts = parseTexts(words);
  checkTexts({ ...text, ...texts });
  return { ...text, texts };
}

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED. */
function parseVersionChanges(request: UpdateVersionRequest): VersionChanges {
  const { changes, parts } = readMasked(changed, {
    field: "changes",
    message: request.changes,
    updateMask: request.updateMask,
    divisible: "texts",
  });
  const { locale, content, format, effectiveAt, texts, ...plain } = changes;
  const given = parseTexts(request.changes?.texts);
  const single = (parts.texts ?? []).map((name) => [name, given[name as keyof VersionTexts]]);
  const version: VersionChanges = {
    ...plain,
    ...defined({
      locale: when(locale, (tag) => parseLocale("locale", required("locale", tag), refusal)),
      content: when(content, (text) => required("content", text)),
      format: when(format, (name) => name ?? "HTML"),
      effectiveAt: when(effectiveAt, (date) => storableTime("effectiveAt", date)),
      texts: when(texts, () => given),
    }),
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
  const format = value === WireFormat.UNSPECIFIED ? "HTML" : contentFormatOf(value);
  if (format !== undefined) return format;
  throw invalid(problem("format", "INVALID_FORMAT", "must be html, markdown, text or pdf"));
}

/** Absent texts are left out, and so are no texts of purposes. */
function parseTexts(message: TextsMessage | undefined): VersionTexts {
  if (message === undefined) return {};
  const given = Object.entries(words.read(message)).filter(
    ([, text]) => text !== null && (typeof text === "string" || Object.keys(text).length > 0),
  );
  return Object.fromEntries(given);
}
