import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { Profile, type RendererService, type RenderHtmlRequestSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { readStampedTime } from "#platform/timestamps/timestamp-token.ts";
import { visibleText } from "#platform/visible-text.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import type { CopyHtmlJob } from "../../copies/copy-html.ts";
import type { Accepted } from "../collect-evidence.ts";
import type { Evidence } from "../evidence.ts";
import { contentFiles } from "../make-archive.ts";
import type { WrittenBundle } from "../write-bundle.ts";
import type { EvidenceHtmlJob } from "./evidence-html.ts";

export interface EvidencePrinterDeps {
  readonly renderer: Client<typeof RendererService>;
  /** The public address of the installation. */
  readonly issuer: string;
  readonly logger: Logger;
}

/** Renders evidence as PDF. */
export interface EvidencePrinter {
  /**
   * Renders a bundle as PDF/A-3 with the bundle and the text attached. The same bundle gives the same bytes. A
   * text that cannot be printed is only attached. Rejects with SERVICE_UNAVAILABLE when no renderer is
   * available. Must not be called within a transaction.
   */
  print(caller: Caller, evidence: Evidence, bundle: WrittenBundle): Promise<Uint8Array>;
  /** Renders the copy that a person gets; undefined when its text cannot be printed. Otherwise as above. */
  printCopy(caller: Caller, accepted: Accepted, job: CopyHtmlJob): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

export function createEvidencePrinter({ renderer, issuer, logger }: EvidencePrinterDeps): EvidencePrinter {
  // Texts may have a megabyte, and parsing Markdown is slow.
  const htmlMaker = createWorkerPool<EvidenceHtmlJob | CopyHtmlJob, string>({
    module: new URL("./print-thread.ts", import.meta.url),
    size: 1,
    maxWaiting: 50,
    waitMs: 5_000,
    deadlineMs: 8_000,
    maxHeapMb: 384,
  });
  const typeset = async (caller: Caller, request: MessageInitShape<typeof RenderHtmlRequestSchema>) => {
    const whole = { ...request, profile: Profile.PDF_A_3A };
    const { pdf } = await renderer.renderHtml(whole, { headers: callerHeaders(caller), timeoutMs: renderTimeoutMs });
    return pdf;
  };
  const margins = { top: 20, right: 20, bottom: 22, left: 20 };
  const attempt = async (caller: Caller, evidence: Evidence, job: EvidenceHtmlJob): Promise<Uint8Array> =>
    typeset(caller, {
      title: titleOf(evidence),
      html: await htmlMaker.run(job),
      page: { margins, header: "", footer: footerOf(evidence) },
      locale: "en",
      createdAt: timestampFromDate(evidence.generatedAt),
      attachments: attachmentsOf(evidence, job.bundleJson),
    });
  return {
    print: async (caller, evidence, { json }) => {
      const token = evidence.integrity.anchor?.token ?? null;
      const stampedAt = (token === null ? undefined : readStampedTime(token))?.toISOString() ?? null;
      const job: EvidenceHtmlJob = { bundleJson: json, issuer, withText: true, stampedAt };
      try {
        return await attempt(caller, evidence, job);
      } catch (error) {
        if (!isOfTheText(error)) throw asOutage(error);
        const { session } = evidence;
        logger.warn({ err: error, organizationId: session.organizationId, sessionId: session.id }, notPrinted);
      }
      return attempt(caller, evidence, { ...job, withText: false }).catch((error: unknown) => {
        throw asOutage(error);
      });
    },
    printCopy: async (caller, { locale, generatedAt }, job) => {
      try {
        return await typeset(caller, {
          title: Array.from(visibleText(job.title)).slice(0, maxTitle).join(""),
          html: await htmlMaker.run(job),
          page: { margins, header: "", footer: `${job.receiptId} · {page} / {pages}` },
          // The contract takes no longer tag, which only decides hyphenation.
          locale: locale.slice(0, 35).replace(/-$/, ""),
          createdAt: timestampFromDate(generatedAt),
        });
      } catch (error) {
        if (!isOfTheText(error)) throw asOutage(error);
        logger.warn({ err: error, organizationId: caller.orgId, receiptId: job.receiptId }, notPrinted);
        return undefined;
      }
    },
    close: () => htmlMaker.close(),
  };
}

const notPrinted = "a text cannot be printed and is attached only";

/** Shorter than the gateway's deadline; rendering again without the text takes hardly any time. */
const renderTimeoutMs = 8_000;

const titleOf = ({ text, terms }: Evidence): string =>
  `Evidence: ${Array.from(visibleText(text.title ?? terms.name))
    .slice(0, maxTitle)
    .join("")}`;

const maxTitle = 200;

function footerOf({ acceptances, session }: Evidence): string {
  const receiptId = acceptances.at(-1)?.receipt.receiptId;
  const about = receiptId === undefined ? `Session ${session.id}` : `Receipt ${receiptId}`;
  return `${about} · page {page} of {pages}`;
}

function attachmentsOf(evidence: Evidence, bundleJson: string) {
  const description = "The evidence with its proofs, signed; verify-bundle.mjs checks it.";
  return [
    { fileName: "bundle.json", mediaType: "application/json", description, content: Buffer.from(bundleJson) },
    ...contentFiles(evidence).map(({ name, bytes }) => ({
      fileName: name,
      mediaType: mediaTypes[name] ?? "text/plain",
      description: descriptions[name] ?? "The text as it was published.",
      content: bytes,
    })),
  ];
}

const mediaTypes: Readonly<Record<string, string>> = {
  "content.html": "text/html",
  "content.md": "text/markdown",
  "content.json": "application/json",
  "document.pdf": "application/pdf",
  "rendered.html": "text/html",
};

const descriptions: Readonly<Record<string, string>> = {
  "document.pdf": "The document that was shown.",
  "rendered.html": "The text as it was shown.",
};

/** The text may be too long to print, or contain what cannot be rendered. */
function isOfTheText(error: unknown): boolean {
  if (error instanceof WorkerPoolError) return error.failure !== "BUSY" && error.failure !== "CLOSED";
  // An absent renderer is an outage; here it was running but did not finish.
  if (error instanceof ConnectError && error.code === Code.DeadlineExceeded) return true;
  const code = fromConnectError(error)?.code;
  return code === "GEN_RENDER_FAILED" || code === "GEN_TEMPLATE_ERROR";
}

/** Translates a renderer outage into this service's error code. */
function asOutage(error: unknown): unknown {
  const known = fromConnectError(error);
  const isBusy = known?.code === "GEN_BUSY" || error instanceof WorkerPoolError;
  if (isBusy) return new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "5" }, cause: error });
  // Invalid HTML is our own bug, so the caller gets an internal error instead of the renderer's code.
  return known?.code.startsWith("GEN_") ? new Error("evidence could not be typeset", { cause: error }) : error;
}
