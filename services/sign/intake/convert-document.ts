import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { Profile, type RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, type FieldProblem, fromConnectError } from "#platform/errors.ts";
import { createKnownFormats } from "#platform/known-formats.ts";

export interface ConvertDeps {
  readonly renderer: Client<typeof RendererService>;
  readonly now: () => Date;
}

/** Renders restricted HTML to PDF. Throws INVALID_DOCUMENT_FORMAT, or an outage error. */
export async function convertHtml(
  { renderer, now }: ConvertDeps,
  orgId: string,
  document: { readonly html: string; readonly name: string; readonly field: string },
): Promise<Uint8Array> {
  const { html, name, field } = document;
  const request = {
    title: titleOf(name),
    html,
    page: { header: "", footer: "" },
    locale: "en",
    profile: Profile.PDF,
    createdAt: timestampFromDate(now()),
  };
  try {
    const headers = { "x-org-id": orgId, "x-client-id": "sign" };
    const { pdf } = await renderer.renderHtml(request, { headers, timeoutMs: renderTimeoutMs });
    return pdf;
  } catch (error) {
    throw rendererFailure(error, field);
  }
}

/** The gateway does not wait longer. */
const renderTimeoutMs = 20_000;

/** The file name in one line, as the title that a PDF needs. */
const titleOf = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Surrogate}\u2028\u2029]/gu, " ")
    .trim()
    .slice(0, maxTitle)
    .toWellFormed() || "Document";

const maxTitle = 200;

/** The error for a file that cannot be converted to PDF. */
export function notConvertible(field: string, reason: string, cause?: unknown): DomainError {
  const details: FieldProblem[] = [{ field, code: "INVALID_DOCUMENT_FORMAT", message: reason }];
  const message = `The file cannot be converted to a PDF: ${reason} Send a PDF instead.`;
  return new DomainError("INVALID_DOCUMENT_FORMAT", { message, details, cause });
}

/** What to answer when the renderer answers with an error. */
export function rendererFailure(error: unknown, field: string): unknown {
  const known = fromConnectError(error);
  const reason = known?.metadata.reason;
  if (known?.code === "GEN_RENDER_FAILED" && reason !== "aborted" && reason !== "crashed") {
    return notConvertible(field, "it is too long or takes too much time and memory.", error);
  }
  if (known?.code === "GEN_TEMPLATE_ERROR" || known?.code === "GEN_INVALID_REQUEST") {
    return notConvertible(field, "it has what cannot be printed.", error);
  }
  if (known?.code.startsWith("GEN_")) {
    return new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "5" }, cause: error });
  }
  return error;
}

/** Prints Office files, in processes of another kind. */
export interface OfficeConverter {
  /** What can be printed, and the pictures that we print ourselves where Office files are taken. */
  formats(): Promise<ReadonlySet<string>>;
  /** Throws CORRUPTED_DOCUMENT with a message for whoever sent the file. */
  convert(orgId: string, format: string, content: Uint8Array): Promise<Uint8Array>;
}

export function createOfficeConverter(client: Client<typeof ConverterService>, now: () => number): OfficeConverter {
  const printed = createKnownFormats(client, now);
  return {
    formats: async () => new Set([...(await printed()), ...pictures]),
    convert: async (orgId, format, content) => {
      const headers = { "x-org-id": orgId, "x-client-id": "sign" };
      return (await client.convertFile({ format, content }, { headers, timeoutMs: convertTimeoutMs })).pdf;
    },
  };
}

const pictures = ["png", "jpeg"];

/** Less than the gateway waits for an upload, waiting for others of the same organization included. */
const convertTimeoutMs = 50_000;

/** As the name of a file, or pdf, html or text. */
export type DocumentFormat = string;

interface Named {
  readonly name: string;
  readonly fileExtension: string;
  readonly content: unknown;
}

/** The format that the request declares; undefined when it is not supported. */
export function formatOf({ fileExtension, name, content }: Named): DocumentFormat | undefined {
  const extension = saidExtension({ fileExtension, name });
  if (extension !== "") return formats.get(extension);
  return content instanceof Uint8Array && isPdf(content) ? "pdf" : undefined;
}

function saidExtension({ fileExtension, name }: Pick<Named, "name" | "fileExtension">): string {
  const said = fileExtension.trim().toLowerCase().replace(/^\./, "");
  return said === "" ? extensionOf(name) : said;
}

/** Whether the bytes start like a PDF; readers accept the header anywhere in the first 1,024 bytes. */
export const isPdf = ({ buffer, byteOffset, byteLength }: Uint8Array): boolean =>
  Buffer.from(buffer, byteOffset, Math.min(byteLength, 1_024)).includes("%PDF-");

const formats: ReadonlyMap<string, DocumentFormat> = new Map([
  ["pdf", "pdf"],
  ["html", "html"],
  ["htm", "html"],
  ["txt", "text"],
  ["jpg", "jpeg"],
  ...["docx", "doc", "odt", "rtf", "xlsx", "pptx", "png", "jpeg"].map((name): [string, string] => [name, name]),
]);

/** The extensions of files that are taken: those of the formats that there are. */
export const extensionsOf = (taken: ReadonlySet<string>): string[] =>
  [...formats].flatMap(([extension, format]) => (taken.has(format) ? [extension] : [])).sort();

/** What phones and scanners make, and what their owners can do about it. */
const notConverted: ReadonlyMap<string, string> = new Map([
  ...["heic", "heif"].map((name): [string, string] => [
    name,
    `Pictures of the type .${name} are not converted. Save it as JPEG or PDF; an iPhone takes JPEG pictures when its camera's format is Most Compatible.`,
  ]),
  ...["tif", "tiff"].map((name): [string, string] => [
    name,
    `Pictures of the type .${name} are not converted. Save all pages as one PDF, or a single page as PNG or JPEG.`,
  ]),
  ["webp", "Pictures of the type .webp are not converted. Save it as PNG, JPEG or PDF."],
]);

/** What to say of a file whose format is not known; undefined when there is nothing better than the usual. */
export const adviceFor = (file: Pick<Named, "name" | "fileExtension">): string | undefined =>
  notConverted.get(saidExtension(file));

/** A dot does not always begin an extension: "Version 1.2", "Mr. Smith". */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  const extension =
    dot === -1
      ? ""
      : name
          .slice(dot + 1)
          .trim()
          .toLowerCase();
  return /^[a-z][a-z0-9]{0,4}$/.test(extension) ? extension : "";
}
