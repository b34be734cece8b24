import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { proofText } from "#platform/transparency/merkle.ts";
import { zipTime } from "#platform/zip-time.ts";
import { agreementPdf, deploymentScreenshot, type Evidence, renderedText } from "./evidence.ts";
import { mainRecord } from "./evidence-integrity.ts";
import type { WrittenBundle } from "./write-bundle.ts";

export interface ArchiveDeps {
  readonly issuer: string;
  readonly tsaCertificates: readonly string[];
}

/** A bundle as a ZIP archive: the bundle itself, and its parts as separate files for use with other tools. */
export function makeArchive(deps: ArchiveDeps, evidence: Evidence, { json, keys }: WrittenBundle): Promise<Buffer> {
  const { generatedAt, integrity } = evidence;
  const keyFile = { keys, logKeys: integrity.logKeys, tsaCertificates: deps.tsaCertificates };
  const files = [
    { name: "bundle.json", bytes: Buffer.from(json) },
    ...contentFiles(evidence),
    ...screenshotFiles(evidence),
    ...proofFiles(evidence),
    textFile("keys.json", `${JSON.stringify(keyFile, null, 2)}\n`),
  ];
  const names = files.map(({ name }) => name);
  const description = processDescription({ issuer: deps.issuer, evidence, files: names });
  return zipFiles([textFile("README-902.txt", description), ...files], generatedAt);
}

const textFile = (name: string, text: string): ArchivedFile => ({ name, bytes: Buffer.from(text) });

const extensions = { HTML: "html", MARKDOWN: "md", TEXT: "txt", PDF: "json" };

/** The text as published and, if the service rendered it, as shown. */
export function contentFiles({ text, showing }: Pick<Evidence, "text" | "showing">): ArchivedFile[] {
  const { rendered } = renderedText(showing);
  const pdf = agreementPdf({ text, showing });
  return [
    ...(pdf === null ? [] : [{ name: "document.pdf", bytes: pdf.content }]),
    { name: `content.${extensions[text.format]}`, bytes: text.content },
    ...(rendered === null ? [] : [textFile("rendered.html", rendered)]),
  ];
}

function screenshotFiles({ showing }: Evidence): ArchivedFile[] {
  const screenshot = deploymentScreenshot(showing);
  if (screenshot === null) return [];
  const extension = screenshot.contentType === "image/png" ? "png" : "jpg";
  return [{ name: `screenshot.${extension}`, bytes: screenshot.content }];
}

function proofFiles({ integrity }: Evidence): ArchivedFile[] {
  const { records, anchor } = integrity;
  const main = mainRecord(integrity);
  if (main === undefined) return [];
  const { leafIndex, proof } = main;
  return [
    textFile("receipt.jws", records.map(({ jws }) => `${jws}\n`).join("")),
    ...(proof === null ? [] : [textFile("proof.tlog-proof", proofText({ index: leafIndex, ...proof }))]),
    ...(anchor === null ? [] : [textFile("anchor.tlog-proof", proofText({ index: anchor.anchorIndex, ...anchor }))]),
    ...(anchor?.token == null ? [] : [{ name: "tst.tsr", bytes: anchor.token }]),
  ];
}

/** A file of an archive. */
interface ArchivedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const deflateInThread = promisify<Buffer, Buffer>(deflateRaw);

/**
 * Creates a ZIP archive of these files, in order. The same files and time give the same bytes. Compression runs
 * in threads because it would block the event loop for tens of milliseconds.
 */
export async function zipFiles(files: readonly ArchivedFile[], modifiedAt: Date): Promise<Buffer> {
  const compressed = await Promise.all(files.map(({ bytes }) => deflateInThread(bytes)));
  const chunks: Uint8Array[] = [];
  const archive = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const [index, { name, bytes }] of files.entries()) {
    const file: ZipInputFile = {
      filename: name,
      size: bytes.length,
      crc: crc32(bytes),
      compression: deflated,
      mtime: zipTime(modifiedAt),
    };
    archive.add(file);
    file.ondata?.(null, compressed[index] as Uint8Array<ArrayBuffer>, true);
  }
  archive.end();
  return Buffer.concat(chunks);
}

/** The number of the method in the format (APPNOTE 4.4.5). */
const deflated = 8;

interface DescribedArchive {
  readonly issuer: string;
  readonly evidence: Evidence;
  /** The names of the other files. */
  readonly files: readonly string[];
}

/**
 * A description, for people, of how an archive's records were created and how to check them: what a
 * certification under rules 902(13) and 902(14) of the Federal Rules of Evidence (United States) must describe.
 */
function processDescription({ issuer, evidence, files }: DescribedArchive): string {
  const { session, generatedAt } = evidence;
  const sections = [
    title,
    [
      `Installation   ${issuer}`,
      `Organization   ${session.organizationId}`,
      `Session        ${session.id}`,
      `Made at        ${generatedAt.toISOString()} (UTC)`,
    ],
    purpose,
    ["FILES", ...files.map((name) => `  ${name.padEnd(20)}${meanings[name] ?? contentMeaning}`)],
    howMade,
    howKept,
    limits,
    howToVerify(issuer, session.organizationId),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

const title = ["DESCRIPTION OF THE PROCESS THAT MADE THESE RECORDS"];

const purpose = [
  "PURPOSE",
  "  Rule 902(13) of the Federal Rules of Evidence lets a record that an electronic process",
  "  generated authenticate itself, and rule 902(14) data that was copied from an electronic",
  "  system, if a qualified person certifies it. This text describes the process in plain",
  "  words for the person who has to certify it, or to examine it. It is no certification,",
  "  and it is no legal advice.",
];

const contentMeaning = "the text that was shown, byte for byte as it was published";

const screenshotMeaning = "what the page looked like, as the party that uses the system has photographed it";

const meanings: Readonly<Record<string, string>> = {
  "bundle.json": "the whole record with all proofs, signed; the other files repeat parts of it",
  "document.pdf": "the document that was shown, byte for byte",
  "rendered.html": "the text as it was handed out to be displayed",
  "screenshot.png": screenshotMeaning,
  "screenshot.jpg": screenshotMeaning,
  "receipt.jws": "the signed records (leaves), one in a line, in the order of the log (RFC 7515)",
  "proof.tlog-proof": "proof that the record is in the log, with the log's signed checkpoint (C2SP)",
  "anchor.tlog-proof": "proof that this checkpoint is in the anchor log, with its checkpoint (C2SP)",
  "tst.tsr": "time-stamp token over the anchor's checkpoint, from an outside authority (RFC 3161)",
  "keys.json": "the public keys of all signatures; they prove nothing unless you get them yourself",
};

const howMade = [
  "HOW THE RECORD WAS MADE",
  "  1. The text was published in the system, which keeps every published revision unchanged",
  "     and names it by its SHA-256 hash.",
  "  2. The text was shown to the user, by the system itself or by the party that uses it.",
  "     What the system rendered is kept; a signed render token tells what was rendered when.",
  "  3. The party's program, or the page in the user's browser, sent the user's decision to the",
  "     system over an authenticated connection. The system checked it against the rules that",
  "     the party had set, and kept each check with what it had found.",
  "  4. The system wrote the record in one database transaction, with the time of its own clock.",
  "     No person took part, and the same request sent twice made one record.",
  "  5. Before that, it put the facts into a small text, the leaf, and signed it with a digital",
  "     signature (Ed25519). What is personal is not in the leaf: it holds salted hashes of it.",
  "  6. The leaf went into the append-only log of the organization, a Merkle tree (RFC 6962).",
  "     At short intervals the system signs a checkpoint of each log; the checkpoints of all logs",
  "     go into one anchor log, whose checkpoint an outside authority time-stamps, if one is set.",
];

const howKept = [
  "HOW IT WAS KEPT",
  "  Records are never changed. Personal data is stored encrypted, each record under a key of its",
  "  own, and may be erased on a person's request; the leaf, its place in the log and all proofs",
  "  remain. This archive was put together by the system on request, from what it had stored, and",
  "  the file bundle.json was signed when it was.",
];

const limits = [
  "WHAT IT DOES NOT PROVE",
  "  Who sat at the device. That the decision was the user's own is asserted by the party that",
  '  sent it; the part "statement" of bundle.json says who that was and what else is not proven.',
];

const howToVerify = (issuer: string, organizationId: string): string[] => [
  "HOW TO VERIFY IT",
  "  Nothing but a computer with Node.js 20 or later is needed, and no network once you have:",
  `    the verifier   ${issuer}/verify/verify-bundle.mjs`,
  `    the keys       ${issuer}/.well-known/click-keys.json?log=${organizationId}`,
  "  Get both from the installation, not from whoever sent you this archive. Then run:",
  "    node verify-bundle.mjs bundle.json --keys click-keys.json",
  "  It lists every check. It ends with the exit code 0 only if none failed. Changing a single",
  "  value in bundle.json makes it fail. The verifier is one readable file without parts by",
  "  others, so that an expert can examine it.",
  "  Without the verifier: receipt.jws with any JWS library, the .tlog-proof files with tools for",
  "  C2SP transparency logs, and tst.tsr with OpenSSL (ts -verify -in tst.tsr -token_in). The file",
  "  that it stamps is the checkpoint in anchor.tlog-proof: all that follows its first empty line.",
];
