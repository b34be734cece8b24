import type { CallOptions } from "@connectrpc/connect";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { PdfFile } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { Reply } from "../../http/reply.ts";
import { required } from "../../routes/required.ts";
import { onBehalfOf, type Route } from "../../routes/route.ts";
import type { Services } from "../../routes/services.ts";
import { fileErrors } from "../../routes/sign/base.ts";
import { archiveOf } from "../files/archive.ts";
import { documentReply } from "../files/document-reply.ts";
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
    description: `As PDF, whatever Accept says: by its documentId or documentIdGuid. \`combined\` (or \`portfolio\`) is all of them in one PDF, \`archive\` a ZIP of them.${ofCertificate}`,
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
