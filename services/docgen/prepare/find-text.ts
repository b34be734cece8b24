import type { JsonObject } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { TemplateRef } from "#gen/assent/docgen/v1/docgen_pb.ts";
import {
  ContentFormat,
  type CurrentVersion,
  type Template,
  TemplateStatus,
  type TemplatesService,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { ContentFormat as TextFormat } from "#platform/restricted-html/read-content.ts";
import type { TextRef } from "../domain/document.ts";
import { invalid, parseLocale, problem } from "../domain/problems.ts";

/** A published text of the templates service. */
export interface FoundText {
  readonly ref: TextRef;
  readonly title: string;
  readonly locale: string;
  readonly format: TextFormat;
  readonly content: string;
  /** Of a GENERATED template; null for a text that stays as it is. */
  readonly typeConfig: JsonObject | null;
}

/**
 * The published text of this version or locale, or that of the template's default locale. Throws GEN_TEMPLATE_NOT_FOUND,
 * GEN_TEMPLATE_NOT_PUBLISHED and GEN_INVALID_REQUEST.
 */
export async function findText(
  templates: Client<typeof TemplatesService>,
  caller: Caller,
  asked: Pick<TemplateRef, "templateId" | "versionId" | "locale">,
): Promise<FoundText> {
  if (asked.versionId !== "" && asked.locale !== "") {
    throw invalid(problem("templateRef.locale", "NOT_ALLOWED", "must not be sent together with versionId"));
  }
  const options = { headers: callerHeaders(caller) };
  const { template } = await templates
    .getTemplate({ templateId: asked.templateId, includeVersions: false }, options)
    .catch(translate);
  if (template === undefined) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
  if (template.type === TemplateType.CONSENT) {
    const message = "must be a STATIC or GENERATED template";
    throw invalid(problem("templateRef.templateId", "NOT_ALLOWED", message));
  }
  const { versionId, revision } = chooseVersion(template, asked);
  const found = await templates.getRevision({ versionId, revision }, options).catch(translate);
  if (found.format === ContentFormat.PDF) {
    throw new DomainError("GEN_TEMPLATE_ERROR", { message: "The text is a PDF already. Download its file instead." });
  }
  return {
    ref: { templateId: template.id, versionId, locale: found.locale },
    title: found.title ?? template.name,
    locale: found.locale,
    format: formats[found.format] ?? "HTML",
    content: new TextDecoder("utf-8", { ignoreBOM: true }).decode(found.content),
    typeConfig: template.type === TemplateType.GENERATED ? (template.typeConfig ?? {}) : null,
  };
}

function chooseVersion(
  { currentVersions, defaultLocale, status }: Template,
  asked: Pick<TemplateRef, "versionId" | "locale">,
): CurrentVersion {
  if (status === TemplateStatus.ARCHIVED) throw new DomainError("GEN_TEMPLATE_NOT_PUBLISHED");
  if (asked.versionId !== "") {
    const chosen = currentVersions.find((version) => version.versionId === asked.versionId.toLowerCase());
    if (chosen !== undefined) return chosen;
    const message = "The template has no published version with this id.";
    throw new DomainError("GEN_TEMPLATE_NOT_FOUND", { message });
  }
  const locale = asked.locale === "" ? defaultLocale : parseLocale("templateRef.locale", asked.locale);
  const chosen = currentVersions.find((version) => version.locale === locale);
  if (chosen !== undefined) return chosen;
  const message = `The template has no published version in ${locale}. Publish it first.`;
  throw new DomainError("GEN_TEMPLATE_NOT_PUBLISHED", { message });
}

const formats: Partial<Record<ContentFormat, TextFormat>> = {
  [ContentFormat.HTML]: "HTML",
  [ContentFormat.MARKDOWN]: "MARKDOWN",
  [ContentFormat.TEXT]: "TEXT",
};

function translate(error: unknown): never {
  const code = fromConnectError(error)?.code;
  const isUnknown = code === "CLICK_TEMPLATE_NOT_FOUND" || code === "CLICK_VERSION_NOT_FOUND";
  if (isUnknown) throw new DomainError("GEN_TEMPLATE_NOT_FOUND", { cause: error });
  throw error;
}
