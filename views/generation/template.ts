import { type Finding, Format, type Page, type Template } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { isoTime } from "../scalars.ts";

/** As lists have it. */
export const listedGenTemplateView = (template: Template) => ({
  id: template.id,
  name: template.name,
  slug: template.slug,
  format: formatName(template.format),
  page: pageView(template.page),
  locale: template.locale,
  publishedVersion: template.publishedVersion === 0 ? null : template.publishedVersion,
  publishedAt: isoTime(template.publishedAt),
  hasChanges: template.hasChanges,
  createdBy: template.createdBy,
  createdAt: isoTime(template.createdAt),
  updatedAt: isoTime(template.updatedAt),
});

export const genTemplateView = (template: Template) => ({
  ...listedGenTemplateView(template),
  content: template.content,
  sampleData: template.sampleDataJson === "" ? null : JSON.parse(template.sampleDataJson),
});

/** What is not known is left out, as the interface has it. */
export const findingView = ({ code, message, line, column, path, expected }: Finding) => ({
  code,
  message,
  line: line === 0 ? null : line,
  column: column === 0 ? null : column,
  ...(path === "" ? {} : { path }),
  ...(expected === "" ? {} : { expected }),
});

const formatName = (format: Format): string => (format === Format.MARKDOWN ? "markdown" : "html");

/** Answers of the service are complete. */
const pageView = (page: Page | undefined) => ({
  size: page?.size ?? "",
  orientation: page?.orientation ?? "",
  margins: {
    top: page?.margins?.top ?? 0,
    right: page?.margins?.right ?? 0,
    bottom: page?.margins?.bottom ?? 0,
    left: page?.margins?.left ?? 0,
  },
  header: page?.header ?? "",
  footer: page?.footer ?? "",
  font: page?.font ?? "",
});
