import type { PdfFile } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Reply } from "../../http/reply.ts";

/** Answers with a PDF, with its file name and document id in the headers. */
export const documentReply = ({ content, fileName, documentId }: PdfFile, alias = documentId): Reply => ({
  status: 200,
  body: content,
  contentType: "application/pdf",
  headers: {
    "Content-Disposition": fileDisposition(fileName, alias),
    // A browser must not run anything from a stored file.
    "Content-Security-Policy": "sandbox; default-src 'none'",
  },
});

/** `file; filename="NDA.pdf"; documentid="1"`, with the name in UTF-8 beside it when it is no plain ASCII. */
function fileDisposition(fileName: string, documentId: string): string {
  const name = safeFileName(fileName);
  const plain = quotable(name);
  const exact = plain === name ? "" : `; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, escaped)}`;
  return `file; filename="${plain}"${exact}; documentid="${quotable(documentId)}"`;
}

/** Removes path separators and invisible characters. */
export function safeFileName(fileName: string): string {
  const safe = fileName
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029/\\]/gu, "_")
    .trim();
  return /^\.*$/.test(safe) ? "document.pdf" : safe;
}

const quotable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/gu, "_").replaceAll(/["%\\]/g, "_");

const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
