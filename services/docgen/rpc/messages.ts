import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import { AssetSchema, type FindingSchema, Format, TemplateSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { isUuid } from "#platform/ids.ts";
import type { Asset } from "../domain/asset.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { Template } from "../domain/template.ts";
import type { ListedTemplate } from "../store/template-store.ts";
import type { Finding, TemplateSource } from "../templating/template-source.ts";

export type TemplateInit = MessageInitShape<typeof TemplateSchema>;

const formats = { html: Format.HTML, markdown: Format.MARKDOWN, docx: Format.DOCX } as const satisfies Record<
  TemplateSource["format"],
  Format
>;
const templates = recordsOf(TemplateSchema, { format: formats });
const assets = recordsOf(AssetSchema);

/** A template as lists have it: without its texts. */
export const listedTemplateMessage = (template: ListedTemplate, hasChanges: boolean): TemplateInit =>
  templates.write({ ...template, hasChanges });

/** A template with its texts. */
export const templateMessage = ({ sampleData, ...template }: Template, hasChanges: boolean): TemplateInit =>
  templates.write({ ...template, hasChanges, sampleDataJson: sampleData && JSON.stringify(sampleData) });

export const assetMessage = ({ sha256, ...asset }: Asset): MessageInitShape<typeof AssetSchema> =>
  assets.write({ ...asset, sha256: Buffer.from(sha256).toString("hex") });

export const findingMessage = (finding: Finding): MessageInitShape<typeof FindingSchema> => {
  const { code, message, line, column, path = "", expected = "" } = finding;
  return { code, message, line, column, path, expected };
};

const formatOf = nameReader(formats);

/** The proto's rules let nothing else through. */
export const formatFromWire = (format: Format): TemplateSource["format"] => formatOf(format) ?? "html";

/** The id after which a page continues; undefined for the first page. */
export function parseAfterId(text: string): string | undefined {
  if (text === "") return undefined;
  if (!isUuid(text)) throw invalid(problem("afterId", "INVALID_CURSOR", "must be the id of the last item of a page"));
  return text.toLowerCase();
}

/** As the database writes it; the proto's rules let nothing but UUIDs through. */
export const canonicalId = (id: string): string => id.toLowerCase();
