/** A file as it was sent. */
export interface DocumentFile {
  /** The integration's id. */
  readonly documentId: string;
  readonly name: string;
  /** Empty to use the extension of the name. */
  readonly fileExtension: string;
  readonly content: Uint8Array | "invalid-base64" | "missing";
}

export type DocumentFormat = "pdf" | "html" | "text";

/** 25 MB, decoded. */
export const maxDocumentBytes = 25 * 1024 * 1024;

/** The format that the request declares; undefined when it is not supported. */
export function formatOf({ fileExtension, name, content }: DocumentFile): DocumentFormat | undefined {
  const said = fileExtension.trim().toLowerCase().replace(/^\./, "");
  const extension = said === "" ? extensionOf(name) : said;
  if (extension !== "") return formats.get(extension);
  return content instanceof Uint8Array && isPdf(content) ? "pdf" : undefined;
}

/** Whether the bytes start like a PDF; readers accept the header anywhere in the first 1,024 bytes. */
export const isPdf = ({ buffer, byteOffset, byteLength }: Uint8Array): boolean =>
  Buffer.from(buffer, byteOffset, Math.min(byteLength, 1_024)).includes("%PDF-");

const formats: ReadonlyMap<string, DocumentFormat> = new Map([
  ["pdf", "pdf"],
  ["html", "html"],
  ["htm", "html"],
  ["txt", "text"],
]);

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
