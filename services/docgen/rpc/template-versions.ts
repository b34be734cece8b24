import type {
  CreateTemplateRequest,
  Page as PageMessage,
  UpdateTemplateRequest,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { parseSlug } from "#platform/slug.ts";
import { changePage, defaultPage, type Page } from "../domain/page.ts";
import {
  defaultLocale,
  nameProblems,
  parseJsonObject,
  parseLocale,
  problem,
  refuse,
  textProblems,
} from "../domain/problems.ts";
import {
  formatProblems,
  isPublishedAs,
  publishedPart,
  type Template,
  type TemplateChanges,
} from "../domain/template.ts";
import { withFile } from "../prepare/word-file.ts";
import { inOrganization } from "../store/orm.ts";
import { addVersion, findTemplate, findVersion, lockTemplate } from "../store/template-store.ts";
import type { CheckedTemplate } from "../templating/checked-template.ts";
import type { Finding, JsonSchema, TemplateSource } from "../templating/template-source.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";
import { canonicalId, findingMessage, formatFromWire, templateMessage } from "./documents.ts";

type Deps = Pick<DocgenDeps, "orm" | "pool" | "blobs" | "checker" | "clock">;

/** How often the content may change while it is being checked, before publishing gives up. */
const maxAttempts = 5;

export const publishTemplate = (deps: Deps): DocgenRpcs<"publishTemplate"> => ({
  async publishTemplate(request, context) {
    const caller = requireCaller(context);
    const id = canonicalId(request.templateId);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      // The check may take long, so it runs outside the transaction.
      const { format, content } = await readTemplate(deps, caller.orgId, id);
      const source = { format, content };
      const schema = requireSchema(await deps.checker.check(await withFile(deps, caller.orgId, source), caller.orgId));
      const template = await publishChecked(deps, caller, id, { source, schema });
      if (template !== undefined) return { template: templateMessage(template, false) };
    }
    throw new DomainError("SERVICE_UNAVAILABLE");
  },
});

const readTemplate = (deps: Deps, orgId: OrgId, id: string): Promise<Template> =>
  inOrganization(orgId, deps.orm, async (tenant) => {
    const template = await findTemplate(tenant, id);
    if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
    return template;
  });

/** Undefined when the draft is no longer what was checked. */
async function publishChecked(
  deps: Deps,
  { orgId, clientId }: Caller,
  id: string,
  checked: { readonly source: TemplateSource; readonly schema: JsonSchema },
): Promise<Template | undefined> {
  return inOrganization(orgId, deps.orm, async (tenant) => {
    const template = await lockTemplate(tenant, id);
    if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
    const { source, schema } = checked;
    if (template.format !== source.format || template.content !== source.content) return undefined;
    const current = await findVersion(tenant, { templateId: id, version: template.publishedVersion });
    if (isPublishedAs(template, current)) return template;
    const publishedAt = deps.clock.now();
    const version = template.publishedVersion + 1;
    addVersion(tenant, {
      ...publishedPart(template),
      templateId: id,
      version,
      dataSchema: schema,
      publishedAt,
      publishedBy: clientId,
    });
    return Object.assign(template, { publishedVersion: version, publishedAt });
  });
}

/** A template as its author submits it. */
export interface NewTemplate extends Pick<Template, "name" | "format" | "content" | "page" | "locale" | "sampleData"> {
  /** Undefined: to be derived from the name. */
  readonly slug: string | undefined;
}

/** Throws GEN_INVALID_REQUEST. */
export function parseNewTemplate(request: CreateTemplateRequest): NewTemplate {
  const { name, slug, format, content, page, locale, sampleDataJson } = request;
  refuse([
    ...nameProblems("name", name),
    ...textProblems("content", content),
    ...formatProblems({ format: formatFromWire(format), content }),
  ]);
  return {
    name,
    slug: slug === "" ? undefined : parseSlug(slug, "GEN_INVALID_REQUEST"),
    format: formatFromWire(format),
    content,
    page: parsePage(page, defaultPage),
    locale: locale === "" ? defaultLocale : parseLocale("locale", locale),
    sampleData: sampleDataJson === "" ? null : parseJsonObject("sampleData", sampleDataJson),
  };
}

/** The changes that a request asks for, given the template's page; throws GEN_INVALID_REQUEST. */
export function parseTemplateChanges(request: UpdateTemplateRequest, base: Page): TemplateChanges {
  const { name, slug, format, content, page, locale, sampleDataJson } = request;
  refuse([
    ...(name === undefined ? [] : nameProblems("name", name)),
    ...(content === undefined ? [] : textProblems("content", content)),
  ]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(slug === undefined ? {} : { slug: parseSlug(slug, "GEN_INVALID_REQUEST") }),
    ...(format === undefined ? {} : { format: formatFromWire(format) }),
    ...(content === undefined ? {} : { content }),
    ...(page === undefined ? {} : { page: parsePage(page, base) }),
    ...(locale === undefined ? {} : { locale: parseLocale("locale", locale) }),
    ...(sampleDataJson === undefined ? {} : { sampleData: parseSampleData(sampleDataJson) }),
  };
}

/** The page with what the message states; throws GEN_INVALID_REQUEST. Absent: the page as it is. */
export function parsePage(message: PageMessage | undefined, base: Page): Page {
  if (message === undefined) return base;
  const { size, orientation, margins, header, footer, font } = message;
  const { top, right, bottom, left } = margins ?? {};
  return changePage(base, {
    size: size || undefined,
    orientation: orientation || undefined,
    margins: { top, right, bottom, left },
    header,
    footer,
    font: font || undefined,
  });
}

const parseSampleData = (text: string) => (text.trim() === "null" ? null : parseJsonObject("sampleData", text));

export const validateTemplate = (
  deps: Pick<DocgenDeps, "pool" | "blobs" | "checker">,
): DocgenRpcs<"validateTemplate"> => ({
  async validateTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const { content, dataJson } = request;
    const named = { format: formatFromWire(request.format), content };
    refuse([...textProblems("content", content), ...formatProblems(named)]);
    const source = await withFile(deps, orgId, named);
    const data = dataJson === "" ? undefined : parseJsonObject("data", dataJson);
    const { findings } =
      data === undefined
        ? await deps.checker.check(source, orgId)
        : await deps.checker.checkWithData(source, data, orgId);
    return { findings: findings.map(findingMessage) };
  },
});

export const getTemplateSchema = (
  deps: Pick<DocgenDeps, "orm" | "pool" | "blobs" | "checker">,
): DocgenRpcs<"getTemplateSchema"> => ({
  async getTemplateSchema(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = canonicalId(request.templateId);
    const { template, published } = await inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, templateId);
      if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      const version = request.version || template.publishedVersion;
      if (version === 0) return { template, published: null };
      // Also the numbers that no column could hold.
      if (version > template.publishedVersion) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
      return { template, published: await findVersion(tenant, { templateId, version }) };
    });
    if (published !== null) return { schemaJson: JSON.stringify(published.dataSchema), version: published.version };
    const { format, content } = template;
    const schema = requireSchema(await deps.checker.check(await withFile(deps, orgId, { format, content }), orgId));
    return { schemaJson: JSON.stringify(schema), version: 0 };
  },
});

// Errors travel in HTTP/2 trailers, which have little room.
const maxFindings = 20;
const maxMessageLength = 200;

/** The schema of a template without findings; throws GEN_TEMPLATE_ERROR for one that has some. */
function requireSchema({ findings, schema }: CheckedTemplate): JsonSchema {
  if (findings.length > 0) throw templateError(findings);
  if (schema === undefined) throw new TypeError("a template without findings has no schema");
  return schema;
}

/** The error of a template that has these findings: the first in its metadata, all in its details. */
function templateError(findings: readonly Finding[]): DomainError {
  const [first] = findings;
  if (first === undefined) throw new TypeError("a template error needs a finding");
  return new DomainError("GEN_TEMPLATE_ERROR", {
    message: short(first.message),
    metadata: { line: String(first.line), column: String(first.column), code: first.code },
    details: findings
      .slice(0, maxFindings)
      .map(({ code, message, line, column }) => problem(`content:${line}:${column}`, code, short(message))),
  });
}

const short = (message: string): string => message.slice(0, maxMessageLength).toWellFormed();
