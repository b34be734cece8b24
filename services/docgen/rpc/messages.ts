import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AssetSchema,
  type FindingSchema,
  Format,
  type PageSchema,
  type TemplateSchema,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { isUuid } from "#platform/ids.ts";
import type { Asset } from "../domain/asset.ts";
import type { Page } from "../domain/page.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { Template } from "../domain/template.ts";
import type { ListedTemplate } from "../store/template-store.ts";
import type { Finding, TemplateSource } from "../templating/template-source.ts";

export type TemplateInit = MessageInitShape<typeof TemplateSchema>;

/** A template as lists have it. */
export function listedTemplateMessage(template: ListedTemplate, hasChanges: boolean): TemplateInit {
  const { id, name, slug, format, page, locale, publishedVersion, publishedAt, createdBy } = template;
  return {
    id,
    name,
    slug,
    format: wireFormats[format],
    page: pageMessage(page),
    locale,
    publishedVersion,
    ...(publishedAt === null ? {} : { publishedAt: timestampFromDate(publishedAt) }),
    hasChanges,
    createdBy,
    createdAt: timestampFromDate(template.createdAt),
    updatedAt: timestampFromDate(template.updatedAt),
  };
}

/** A template with its texts. */
export const templateMessage = (template: Template, hasChanges: boolean): TemplateInit => ({
  ...listedTemplateMessage(template, hasChanges),
  content: template.content,
  sampleDataJson: template.sampleData === null ? "" : JSON.stringify(template.sampleData),
});

/** Without the type of message, so that it can stand within others. */
const pageMessage = ({
  size,
  orientation,
  margins,
  header,
  footer,
  font,
}: Page): MessageInitShape<typeof PageSchema> => ({
  size,
  orientation,
  margins: { top: margins.top, right: margins.right, bottom: margins.bottom, left: margins.left },
  header,
  footer,
  font,
});

export const assetMessage = (asset: Asset): MessageInitShape<typeof AssetSchema> => ({
  id: asset.id,
  name: asset.name,
  contentType: asset.contentType,
  width: asset.width,
  height: asset.height,
  bytes: BigInt(asset.bytes),
  sha256: Buffer.from(asset.sha256).toString("hex"),
  createdAt: timestampFromDate(asset.createdAt),
});

export const findingMessage = (finding: Finding): MessageInitShape<typeof FindingSchema> => {
  const { code, message, line, column, path = "", expected = "" } = finding;
  return { code, message, line, column, path, expected };
};

const wireFormats: Readonly<Record<TemplateSource["format"], Format>> = {
  html: Format.HTML,
  markdown: Format.MARKDOWN,
};

/** The proto's rules let nothing else through. */
export const formatFromWire = (format: Format): TemplateSource["format"] =>
  format === Format.MARKDOWN ? "markdown" : "html";

/** The id after which a page continues; undefined for the first page. */
export function parseAfterId(text: string): string | undefined {
  if (text === "") return undefined;
  if (!isUuid(text)) throw invalid(problem("afterId", "INVALID_CURSOR", "must be the id of the last item of a page"));
  return text.toLowerCase();
}

/** As the database writes it; the proto's rules let nothing but UUIDs through. */
export const canonicalId = (id: string): string => id.toLowerCase();
