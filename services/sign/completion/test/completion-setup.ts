import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Agreement,
  type AgreementDefinitionSchema,
  AgreementStatus,
  RecipientRole,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { until } from "#platform/testing/until.ts";
import { readAndConsent } from "../../../../test/support/read-and-consent.ts";
import { coveredPieces } from "../../seal/byte-range.ts";
import { findSeals } from "../../seal/verify-seals.ts";
import type { Organization, SignProcess } from "../../test/harness.ts";

export type Definition = MessageInitShape<typeof AgreementDefinitionSchema>;

const visitor = { ip: "192.0.2.55", userAgent: "Browser/1.0", requestId: "request-9", traceparent: "" };

export const embeddedSigner = (recipientId: string, name: string) => ({
  ...{ recipientId, name, email: `${name.toLowerCase()}@example.com`, clientUserId: recipientId },
  role: RecipientRole.SIGNER,
});

export const documentOf = (documentId: string, bytes: Uint8Array) => ({
  ...{ documentId, name: `Document ${documentId}.pdf`, fileExtension: "pdf" },
  source: { case: "content" as const, value: bytes },
});

export async function send(organization: Organization, definition: Definition): Promise<Agreement> {
  const { agreement } = await organization.createAgreement({
    definition: { emailSubject: "Please sign", ...definition },
    send: true,
  });
  if (agreement === undefined) throw new Error("the answer has no agreement");
  return agreement;
}

export const read = async (organization: Organization, id: string): Promise<Agreement> => {
  const { agreement } = await organization.getAgreement({ target: { id: { case: "agreementId", value: id } } });
  if (agreement === undefined) throw new Error("the answer has no agreement");
  return agreement;
};

const isCompleted = ({ status }: Agreement): boolean => status === AgreementStatus.COMPLETED;

export const untilCompleted = (organization: Organization, id: string, timeoutMs = 30_000): Promise<Agreement> =>
  until(async () => {
    const agreement = await read(organization, id);
    return isCompleted(agreement) && agreement;
  }, timeoutMs);

export interface Signing {
  /** By the labels of the tabs. */
  readonly values?: Readonly<Record<string, string>>;
  readonly drawnPng?: Uint8Array;
  readonly font?: string;
  readonly initials?: string;
}

/** A picture of one pixel. */
export const tinyPng = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Opens the link and gives the consent; what comes back finishes. */
export async function sit(
  { signing }: Pick<SignProcess, "signing">,
  organization: Organization,
  agreement: Agreement,
  recipientId: string,
): Promise<(signing?: Signing) => Promise<unknown>> {
  const returnUrl = "https://app.example/back";
  const view = await organization.createRecipientView({ agreementId: agreement.id, recipientId, returnUrl });
  const { sessionToken } = await signing.openView({ token: view.token, visitor });
  await readAndConsent(signing, sessionToken, visitor);
  const person = agreement.recipients.find((one) => one.recipientId === recipientId);
  return ({ values = {}, drawnPng, font = "caveat", initials = "AE" } = {}) => {
    const byLabel = new Map(Object.entries(values));
    const filled = (person?.tabs ?? []).flatMap(({ tabId, label }) => {
      const value = byLabel.get(label ?? "");
      return value === undefined ? [] : [{ tabId, value }];
    });
    const typed = { typed: person?.name ?? "", font };
    return signing.finishSigning({
      ...{ sessionToken, values: filled, visitor },
      signature: drawnPng === undefined ? typed : { ...typed, drawnPng },
      initials: { typed: initials, font },
    });
  };
}

interface Word {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** The tools by which others would look at a sealed file. */
export async function openToolbox(certificate: string) {
  const folder = await mkdtemp(join(tmpdir(), "sealed-"));
  const inFile = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  };
  const certificatePath = await inFile("certificate.pem", certificate);
  return {
    /** Rejects when qpdf, pdfsig or openssl does not accept the file; answers what pdfsig says. */
    requireSealed: async (file: Uint8Array): Promise<string> => {
      const path = await inFile("sealed.pdf", file);
      await run("qpdf", ["--check", path]);
      const { start, end } = lastRange(file);
      const covered = Buffer.concat(coveredPieces({ bytes: file, start, end }));
      const signature = Buffer.from(Buffer.from(file.subarray(start + 1, end - 1)).toString("latin1"), "hex");
      await run("openssl", [
        ...["cms", "-verify", "-binary", "-inform", "DER", "-purpose", "any", "-CAfile", certificatePath],
        ...["-in", await inFile("seal.der", signature), "-content", await inFile("covered", covered)],
        ...["-out", join(folder, "out")],
      ]);
      const { stdout } = await run("pdfsig", ["-nocert", path]);
      const last = stdout.slice(stdout.lastIndexOf("Signature #"));
      for (const wanted of ["Signature is Valid", "Total document signed", "ETSI.CAdES.detached"]) {
        if (!last.includes(wanted)) throw new Error(`pdfsig says: ${stdout}`);
      }
      return stdout;
    },
    textOf: async (file: Uint8Array): Promise<string> => {
      const { stdout } = await run("pdftotext", ["-layout", await inFile("text.pdf", file), "-"]);
      return stdout;
    },
    /** With the upper left corner of each, as the page is shown. */
    wordsOf: async (file: Uint8Array): Promise<readonly Word[]> => {
      const { stdout } = await run("pdftotext", ["-cropbox", "-bbox", await inFile("words.pdf", file), "-"]);
      const words = stdout.matchAll(/<word xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>([^<]+)</g);
      return Array.from(words, ([, x, y, text = ""]) => ({ text, x: Number(x), y: Number(y) }));
    },
    close: () => rm(folder, { recursive: true }),
  };
}

const run = promisify(execFile);

function lastRange(file: Uint8Array): { readonly start: number; readonly end: number } {
  const text = Buffer.from(file).toString("latin1");
  const found = /\/ByteRange\s{0,5}\[\s{0,5}0 (\d+) (\d+)/.exec(text.slice(text.lastIndexOf("/ByteRange")));
  if (found === null) throw new Error("the file has no signature");
  return { start: Number(found[1]), end: Number(found[2]) };
}

/** Whether the last signature is intact and over everything. */
export function holds(file: Uint8Array): boolean {
  const last = findSeals(Buffer.from(file)).at(-1);
  return last?.isIntact === true && last.coversWholeFile;
}
