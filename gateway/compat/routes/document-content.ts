import type { CallOptions } from "@connectrpc/connect";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { PdfFile } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { Reply } from "../../http/reply.ts";
import { archiveOverhead, maxArchiveBytes, type StreamedFile, zipStream } from "../../http/zip-stream.ts";
import { onBehalfOf, type Route } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import type { Services } from "../../routes/services.ts";
import { fileErrors } from "../../routes/sign/base.ts";
import { readWith } from "../read/reader.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import type { CompatTarget, TargetRoot } from "../target.ts";

/** A document may have 25 MB, and merging several takes time. */
const contentTimeoutMs = 60_000;

type Content =
  | { readonly kind: "file"; readonly file: PdfFile; readonly alias: string }
  | { readonly kind: "archive"; readonly agreement: Agreement; readonly stream: AsyncIterable<Uint8Array> };

/** Downloads of the documents of envelopes, or of templates. */
export function documentContentRoute(root: TargetRoot): Route {
  const { path, targetOf, tag, idPrefix, hasCertificate } = root;
  const ofCertificate = hasCertificate
    ? " `certificate` is the certificate of completion, which is also in the archive and, with `certificate=true`, at the end of `combined`."
    : "";
  return defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    operationId: `${idPrefix}GetDocument`,
    method: "GET",
    path: `${path}/documents/{documentId}`,
    summary: "Download a document",
    description: `As PDF, whatever Accept says, by documentId or documentIdGuid. \`combined\` (or \`portfolio\`) returns all documents in one PDF, \`archive\` a ZIP of them.${ofCertificate}`,
    query: compatQuery({ certificate: "Whether the certificate of completion is appended to `combined`." }),
    success: {
      status: 200,
      description: "The bytes.",
      contentType: "application/pdf",
      alsoTypes: ["application/zip"],
      headers: {
        "Content-Disposition": 'With the file\'s name and the id: `file; filename="NDA.pdf"; documentid="1"`.',
      },
    },
    errors: fileErrors,
    call: (request, services) => {
      const options = { ...onBehalfOf(request), timeoutMs: contentTimeoutMs };
      const { documentId } = request.params as unknown as { readonly documentId: string };
      const withCertificate = readWith(request.query, (query) => query.flag("certificate")) ?? false;
      return contentOf(
        services,
        { target: targetOf(request.params), documentId, withCertificate, hasCertificate },
        options,
      );
    },
    respond: (content) =>
      content.kind === "file" ? documentReply(content.file, content.alias) : archiveReply(content),
  });
}

interface Wanted {
  readonly target: CompatTarget;
  readonly documentId: string;
  readonly withCertificate: boolean;
  readonly hasCertificate: boolean;
}

/** Words that stand for something else than a single document; compared in lower case. */
async function contentOf(
  { sign, clock }: Pick<Services, "sign" | "clock">,
  { target, documentId, withCertificate, hasCertificate }: Wanted,
  options: CallOptions,
): Promise<Content> {
  const fileOf = ({ file }: { readonly file?: PdfFile | undefined }, alias?: string): Content => {
    const found = required(file);
    return { kind: "file", file: found, alias: alias ?? found.documentId };
  };
  const keyword = documentId.toLowerCase();
  switch (keyword) {
    case "combined":
    case "portfolio":
      return fileOf(
        await sign.getCombinedDocument({ target, withCertificate: withCertificate && hasCertificate }, options),
        keyword,
      );
    case "certificate":
    case "summary":
      if (!hasCertificate) throw new DomainError("DOCUMENT_NOT_FOUND");
      return fileOf(await sign.getCertificate({ agreementId: target.id.value }, options), "certificate");
    case "archive": {
      const agreement = required((await sign.getAgreement({ target }, options)).agreement);
      return { kind: "archive", agreement, stream: await archiveOf({ sign, clock }, agreement, target, options) };
    }
    default:
      return fileOf(await sign.getDocumentContent({ target, documentId }, options));
  }
}

const archiveReply = ({ agreement, stream }: Extract<Content, { kind: "archive" }>): Reply => ({
  status: 200,
  body: undefined,
  stream,
  headers: {
    "Content-Type": "application/zip",
    "Content-Disposition": `file; filename="${agreement.id}.zip"; documentid="archive"`,
  },
});

type Sign = Pick<Services["sign"], "getDocumentContent" | "getCertificate">;

/**
 * A ZIP of all documents, in order, and the agreement's certificate. The certificate is rendered before
 * anything is sent, so that a failure can still be reported.
 */
async function archiveOf(
  { sign, clock }: { readonly sign: Sign } & Pick<Services, "clock">,
  agreement: Pick<Agreement, "documents">,
  target: CompatTarget,
  options: CallOptions,
): Promise<AsyncGenerator<Uint8Array>> {
  const certificate = await certificateOf(sign, target, options);
  return zipStream(filesOf(sign, agreement, { target, certificate }, options), clock.now());
}

async function certificateOf(
  sign: Sign,
  { id }: CompatTarget,
  options: CallOptions,
): Promise<StreamedFile | undefined> {
  if (id.case !== "agreementId") return undefined;
  const { file } = await sign.getCertificate({ agreementId: id.value }, options);
  return { name: certificateName, bytes: required(file).content };
}

const certificateName = "Summary.pdf";

async function* filesOf(
  sign: Sign,
  { documents }: Pick<Agreement, "documents">,
  { target, certificate }: { readonly target: CompatTarget; readonly certificate: StreamedFile | undefined },
  options: CallOptions,
): AsyncGenerator<StreamedFile> {
  const taken = new Set([certificateName.toLowerCase()]);
  let room = maxArchiveBytes;
  for (const { documentId, name } of documents) {
    const { file } = await sign.getDocumentContent({ target, documentId }, options);
    const { content } = required(file);
    const unique = uniqueName(pdfName(name), taken);
    room -= content.length + archiveOverhead({ name: unique });
    if (room < 0) throw new Error("the documents do not fit into one archive");
    yield { name: unique, bytes: content };
  }
  if (certificate !== undefined) yield certificate;
}

function pdfName(name: string): string {
  const safe = safeFileName(name);
  return safe.toLowerCase().endsWith(".pdf") ? safe : `${safe}.pdf`;
}

/** Some file systems are case-insensitive. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique.toLowerCase()); count += 1) {
    unique = `${name.slice(0, -".pdf".length)} (${count}).pdf`;
  }
  taken.add(unique.toLowerCase());
  return unique;
}

/** Answers with a PDF, with its file name and document id in the headers. */
const documentReply = ({ content, fileName, documentId }: PdfFile, alias = documentId): Reply => ({
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
function safeFileName(fileName: string): string {
  const safe = fileName
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029/\\]/gu, "_")
    .trim();
  return /^\.*$/.test(safe) ? "document.pdf" : safe;
}

const quotable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/gu, "_").replaceAll(/["%\\]/g, "_");

const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
