import { proofText } from "#platform/transparency/proof-text.ts";
import type { Evidence } from "../domain/evidence.ts";
import { mainRecord } from "../domain/evidence-integrity.ts";
import { renderedText } from "../domain/evidence-shown.ts";
import { processDescription } from "./process-description.ts";
import type { WrittenBundle } from "./write-bundle.ts";
import { type ArchivedFile, zipFiles } from "./zip.ts";

export interface ArchiveDeps {
  readonly issuer: string;
  readonly tsaCertificates: readonly string[];
}

/** A bundle as a ZIP archive: itself, and its parts as files of their own for whoever has other tools. */
export function makeArchive(deps: ArchiveDeps, evidence: Evidence, { json, keys }: WrittenBundle): Promise<Buffer> {
  const { generatedAt, integrity } = evidence;
  const keyFile = { keys, logKeys: integrity.logKeys, tsaCertificates: deps.tsaCertificates };
  const files = [
    { name: "bundle.json", bytes: Buffer.from(json) },
    ...contentFiles(evidence),
    ...proofFiles(evidence),
    textFile("keys.json", `${JSON.stringify(keyFile, null, 2)}\n`),
  ];
  const names = files.map(({ name }) => name);
  const description = processDescription({ issuer: deps.issuer, evidence, files: names });
  return zipFiles([textFile("README-902.txt", description), ...files], generatedAt);
}

const textFile = (name: string, text: string): ArchivedFile => ({ name, bytes: Buffer.from(text) });

const extensions = { HTML: "html", MARKDOWN: "md", TEXT: "txt" };

/** The text as it was published and, if the service rendered it, as it was shown. */
export function contentFiles({ text, showing }: Evidence): ArchivedFile[] {
  const { rendered } = renderedText(showing);
  return [
    { name: `content.${extensions[text.format]}`, bytes: text.content },
    ...(rendered === null ? [] : [textFile("rendered.html", rendered)]),
  ];
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
