import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type DocumentSource as SourceMessage, Profile as WireProfile } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { findMergeFields } from "#platform/merge-fields.ts";
import type { RenderedVersion } from "../domain/document.ts";
import { parseFileName, parseMetadata, parseTimeZone } from "../domain/output.ts";
import { defaultPage, type Profile } from "../domain/page.ts";
import { invalid, invalidData, parseJsonObject, parseLocale, problem } from "../domain/problems.ts";
import type { DocgenDeps } from "../rpc/deps.ts";
import { findAssets } from "../store/asset-store.ts";
import type { NewDocument } from "../store/document-store.ts";
import { findPublishedVersion, type PublishedVersion } from "../store/template-store.ts";
import { checkData } from "../templating/check-data.ts";
import type { Finding } from "../templating/template-source.ts";
import { type FoundText, findText } from "./find-text.ts";
import { namedAssets } from "./named-assets.ts";

export type PrepareDeps = Pick<DocgenDeps, "pool" | "templates" | "textConverter" | "word">;

/** A document that can be rendered: found, checked and complete. */
export type PreparedSource = Pick<
  NewDocument,
  | "templateId"
  | "templateVersion"
  | "templateRef"
  | "profile"
  | "isWord"
  | "fileName"
  | "locale"
  | "timeZone"
  | "metadata"
  | "expiresIn"
> & { readonly source: NonNullable<NewDocument["source"]> };

export interface Prepared {
  readonly document: PreparedSource;
  /** The published version that it is made from; null for a text of the templates service. */
  readonly version: RenderedVersion | null;
}

/** What was found for one request, so that a batch looks each template up only once. */
export interface Findings {
  readonly versions: Map<string, Promise<PublishedVersion>>;
  readonly texts: Map<string, Promise<FoundText>>;
}

export const nothingFound = (): Findings => ({ versions: new Map(), texts: new Map() });

/**
 * Finds the sources of a document and checks everything that can be checked before rendering. Throws
 * GEN_TEMPLATE_NOT_FOUND, GEN_TEMPLATE_NOT_PUBLISHED, GEN_ASSET_NOT_FOUND, GEN_INVALID_REQUEST and GEN_INVALID_DATA,
 * and GEN_TEMPLATE_ERROR for a text that cannot become a document.
 */
export async function prepareSource(
  deps: PrepareDeps,
  caller: Caller,
  message: SourceMessage,
  found: Findings = nothingFound(),
): Promise<Prepared> {
  const data = message.dataJson === "" ? {} : parseJsonObject("data", message.dataJson);
  const { templateId, templateRef } = message;
  if ((templateId === "") === (templateRef === undefined)) {
    throw invalid(problem("templateId", "REQUIRED", "is required unless templateRef is given"));
  }
  return templateRef === undefined
    ? prepareVersion(deps, caller, { message, data, found })
    : prepareText(deps, caller, { message, data, found, templateRef });
}

interface Asked {
  readonly message: SourceMessage;
  readonly data: JsonObject;
  readonly found: Findings;
}

async function prepareVersion(deps: PrepareDeps, caller: Caller, asked: Asked): Promise<Prepared> {
  const { message, data, found } = asked;
  const { templateId: id, version } = message;
  const template = await findVersion(deps, caller, { id, version }, found);
  const options = optionsOf(message, { title: template.name, locale: template.locale });
  if (template.format === "docx") await requirePrinter(deps, options.profile);
  const findings = checkData(template.dataSchema, data);
  if (findings.length > 0) throw invalidData(findings);
  const { templateId, version: templateVersion, name: title, format, content, page } = template;
  const source = { title, content: { kind: "version", data } } as const;
  return {
    document: { ...options, templateId, templateVersion, templateRef: null, source, isWord: format === "docx" },
    version: { format, content, page },
  };
}

/** Throws GEN_INVALID_REQUEST when a template that is a Word file cannot become this kind of PDF here. */
async function requirePrinter({ word }: PrepareDeps, profile: Profile): Promise<void> {
  if (profile !== "pdf") {
    throw invalid(problem("output.profile", "NOT_ALLOWED", "must be pdf: the template is a Word file"));
  }
  if (word === undefined || !(await word.isThere())) {
    const message = "is a Word file, and LibreOffice, which makes a PDF of it, is not set up here";
    throw invalid(problem("templateId", "NO_CONVERTER", message));
  }
}

async function prepareText(
  deps: PrepareDeps,
  caller: Caller,
  asked: Asked & { readonly templateRef: NonNullable<SourceMessage["templateRef"]> },
): Promise<Prepared> {
  const { message, data, found, templateRef } = asked;
  if (message.version !== 0) throw invalid(problem("version", "NOT_ALLOWED", "belongs to templateId"));
  const key = `${templateRef.templateId} ${templateRef.versionId} ${templateRef.locale}`;
  const text = await once(found.texts, key, () => findText(deps.templates, caller, templateRef));
  const options = optionsOf(message, text);
  const { format, content, typeConfig, title } = text;
  const values = typeConfig === null ? null : fitValues(typeConfig, content, data);
  const html = await deps.textConverter.convert({ format, content, values });
  const source = { title, content: { kind: "html", html, page: defaultPage } } as const;
  return {
    document: { ...options, templateId: null, templateVersion: null, templateRef: text.ref, source },
    version: null,
  };
}

interface VersionName {
  readonly id: string;
  readonly version: number;
}

const findVersion = (
  deps: PrepareDeps,
  caller: Caller,
  { id, version }: VersionName,
  found: Findings,
): Promise<PublishedVersion> => once(found.versions, `${id} ${version}`, () => readVersion(deps, caller, id, version));

/**
 * The id of the named template, whatever else is wrong with the request; null when the organization has no template of
 * this name, so that a name of another organization is never recorded.
 */
export async function findTemplate(
  deps: PrepareDeps,
  caller: Caller,
  { templateId: id, version }: Pick<SourceMessage, "templateId" | "version">,
  found: Findings,
): Promise<string | null> {
  try {
    return (await findVersion(deps, caller, { id, version }, found)).templateId;
  } catch (error) {
    const code = error instanceof DomainError ? error.code : undefined;
    if (code === "GEN_TEMPLATE_NOT_FOUND") return null;
    if (code === "GEN_TEMPLATE_NOT_PUBLISHED" || code === "GEN_ASSET_NOT_FOUND") return id.toLowerCase();
    throw error;
  }
}

async function readVersion(
  deps: PrepareDeps,
  { orgId }: Caller,
  templateId: string,
  version: number,
): Promise<PublishedVersion> {
  if (!isUuid(templateId)) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
  return withOrg(deps.pool, orgId, async (tenant) => {
    const found = await findPublishedVersion(tenant, { templateId, version });
    if (found.kind === "unknown") throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
    if (found.kind === "unpublished") throw new DomainError("GEN_TEMPLATE_NOT_PUBLISHED");
    const assets = namedAssets(found.version.content);
    if (assets.length > 0) {
      const existing = new Set((await findAssets(tenant, assets)).map(({ id }) => id));
      const missing = assets.find((id) => !existing.has(id));
      if (missing !== undefined) throw new DomainError("GEN_ASSET_NOT_FOUND", { metadata: { assetId: missing } });
    }
    return found.version;
  });
}

/** The parts of the request other than its template and data. */
function optionsOf(message: SourceMessage, template: { readonly title: string; readonly locale: string }) {
  const { output, locale, timeZone, expiresIn, metadataJson } = message;
  return {
    profile: profileOf(message),
    fileName: parseFileName("output.fileName", output?.fileName ?? "", template.title),
    locale: locale === "" ? template.locale : parseLocale("locale", locale),
    timeZone: parseTimeZone("timeZone", timeZone),
    metadata: parseMetadata("metadata", metadataJson),
    expiresIn: expiresIn === 0 ? null : expiresIn,
  };
}

/** The requested kind of PDF. */
export const profileOf = ({ output }: Pick<SourceMessage, "output">): Profile =>
  wireProfiles[output?.profile ?? WireProfile.UNSPECIFIED] ?? "pdf";

/** The proto's rules let nothing else through. */
const wireProfiles: Partial<Record<WireProfile, Profile>> = {
  [WireProfile.PDF]: "pdf",
  [WireProfile.PDF_A_2A]: "pdf/a-2a",
  [WireProfile.PDF_UA_1]: "pdf/ua-1",
};

function once<T>(known: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? find();
  known.set(key, found);
  return found;
}

/** A value that a GENERATED text requires. */
interface Variable {
  readonly key: string;
  readonly type: "string" | "number" | "boolean";
  readonly choices: readonly unknown[] | undefined;
  readonly isRequired: boolean;
  readonly fallback: JsonValue | undefined;
}

/**
 * The texts for the merge fields of a GENERATED template. The data has a value under the key of its field, as it does
 * where people accept such a text. Throws GEN_INVALID_DATA for each value that is missing or of another type.
 */
function fitValues(typeConfig: JsonObject, content: string, data: JsonObject): [key: string, value: string][] {
  const keys = new Set(findMergeFields(content).fields.map(({ key }) => key));
  const declared = variablesOf(typeConfig);
  const findings: Finding[] = [];
  const values = [...keys].map((key): [string, string] => {
    const variable = declared.get(key) ?? { ...plain, key };
    const value = presentValue(data, key) ?? variable.fallback;
    const expected = expectation(variable, value, typeConfig.missing === "EMPTY");
    if (expected !== undefined) findings.push(finding(key, value, expected));
    return [key, value === undefined ? "" : String(value)];
  });
  if (findings.length > 0) throw invalidData(findings);
  return values;
}

const plain = { type: "string", choices: undefined, isRequired: true, fallback: undefined } as const;

/** A blank counts as missing: a contract with a blank for a name binds nobody. */
function presentValue(data: JsonObject, key: string): JsonValue | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  return value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;
}

/** The templates service has validated the configuration, so anything unexpected is not a variable. */
function variablesOf({ variables }: JsonObject): Map<string, Variable> {
  const known = new Map<string, Variable>();
  for (const value of Array.isArray(variables) ? variables : []) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || typeof value.key !== "string") continue;
    const { key, type } = value;
    known.set(key, {
      key,
      type: type === "NUMBER" ? "number" : type === "BOOLEAN" ? "boolean" : "string",
      choices: Array.isArray(value.enum) ? value.enum : undefined,
      isRequired: value.required !== false,
      fallback: presentValue(value, "default"),
    });
  }
  return known;
}

/** The expected type that the value does not have. */
function expectation(variable: Variable, value: JsonValue | undefined, mayMiss: boolean): string | undefined {
  const { type, choices, isRequired } = variable;
  if (value === undefined) return isRequired && !mayMiss ? type : undefined;
  if (typeof value !== type) return type;
  return choices === undefined || choices.includes(value) ? undefined : `one of ${choices.join(", ")}`.slice(0, 200);
}

const finding = (key: string, value: JsonValue | undefined, expected: string): Finding => ({
  code: value === undefined ? "required" : "type",
  message: value === undefined ? `${key} is missing.` : `${key} must be ${expected}.`,
  line: 0,
  column: 0,
  path: `/${key}`,
  expected,
});
