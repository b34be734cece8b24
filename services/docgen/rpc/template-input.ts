import type {
  CreateTemplateRequest,
  Page as PageMessage,
  UpdateTemplateRequest,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { isSlug, slugRule } from "#platform/slug.ts";
import { parseJsonObject } from "../domain/json-object.ts";
import { defaultLocale, parseLocale } from "../domain/locale.ts";
import { defaultPage, type Page } from "../domain/page.ts";
import { changePage } from "../domain/page-rules.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import type { Template, TemplateChanges } from "../domain/template.ts";
import { nameProblems, textProblems } from "../domain/text.ts";
import { formatFromWire } from "./messages.ts";

/** A template as its author asks for it. */
export interface NewTemplate extends Pick<Template, "name" | "format" | "content" | "page" | "locale" | "sampleData"> {
  /** Undefined: to be derived from the name. */
  readonly slug: string | undefined;
}

/** Throws GEN_INVALID_REQUEST. */
export function parseNewTemplate(request: CreateTemplateRequest): NewTemplate {
  const { name, slug, format, content, page, locale, sampleDataJson } = request;
  refuse([...nameProblems("name", name), ...textProblems("content", content)]);
  return {
    name,
    slug: slug === "" ? undefined : parseSlug(slug),
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
    ...(slug === undefined ? {} : { slug: parseSlug(slug) }),
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

function parseSlug(text: string): string {
  if (isSlug(text)) return text;
  throw invalid(problem("slug", "INVALID_SLUG", slugRule));
}

const parseSampleData = (text: string) => (text.trim() === "null" ? null : parseJsonObject("sampleData", text));
