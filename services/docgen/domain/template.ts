import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@bufbuild/protobuf";
import type { FieldProblem } from "#platform/errors.ts";
import { assetIdOf } from "../templating/image-address.ts";
import type { JsonSchema, TemplateSource } from "../templating/template-source.ts";
import type { Page } from "./page.ts";
import { problem } from "./problems.ts";

/** A template with its draft. */
export interface Template {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly format: TemplateSource["format"];
  readonly content: string;
  readonly page: Page;
  readonly locale: string;
  readonly sampleData: JsonObject | null;
  /** 0: none. */
  readonly publishedVersion: number;
  readonly publishedAt: Date | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
}

/** What was published; never changes. */
export interface TemplateVersion extends Pick<Template, "organizationId" | PublishedField> {
  readonly templateId: string;
  readonly version: number;
  readonly dataSchema: JsonSchema;
  readonly publishedAt: Date;
  readonly publishedBy: string;
}

type PublishedField = (typeof publishedFields)[number];

/** What is wrong with a content in this format: a Word file is named, not written. */
export const formatProblems = ({ format, content }: TemplateSource): FieldProblem[] =>
  format === "docx" && assetIdOf(content) === undefined
    ? [problem("content", "NOT_ALLOWED", "must be asset:<id>, with the id of a Word file that is stored as an asset")]
    : [];

/** The parts of the draft that a version takes over. */
const publishedFields = ["name", "format", "content", "page", "locale"] as const;

/** The draft's part of the next version. */
export const publishedPart = (template: Pick<Template, PublishedField>): Pick<Template, PublishedField> => {
  const { name, format, content, page, locale } = template;
  return { name, format, content, page, locale };
};

/** True when publishing the draft would only repeat this version. */
export const isPublishedAs = (
  template: Pick<Template, PublishedField>,
  version: Pick<TemplateVersion, PublishedField> | null,
): boolean => version !== null && isDeepStrictEqual(publishedPart(template), publishedPart(version));

/** What an author may change. */
export type TemplateChanges = Partial<Pick<Template, PublishedField | "slug" | "sampleData">>;

/** The given changes that make a difference. */
export function effectiveChanges(template: Template, changes: TemplateChanges): TemplateChanges {
  const entries = Object.entries(changes) as [keyof TemplateChanges, unknown][];
  return Object.fromEntries(entries.filter(([field, value]) => !isDeepStrictEqual(template[field], value)));
}
