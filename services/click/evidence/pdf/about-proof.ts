import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { bullets, facts, hash, list, paragraph, section } from "./facts.ts";
import { exact, type Markup, markup, nothing } from "./markup.ts";
import type { PrintedBundle } from "./printed-bundle.ts";

export function statementSection({ statement }: PrintedBundle): Markup {
  return section(
    "What this proves, and what it does not",
    statement.proves.length === 0 ? nothing : markup`<h3>Proven</h3>${bullets(statement.proves)}`,
    statement.limitations.length === 0 ? nothing : markup`<h3>Not proven</h3>${bullets(statement.limitations)}`,
    markup`<h3>How the record was made</h3><p>${statement.process}</p>`,
  );
}

export function proofSection({ receipts, integrity, bundleId, bundleSignature }: PrintedBundle): Markup {
  const { log, anchor } = integrity;
  const checkpoint = checkpointOf(log?.checkpoint);
  const anchored = checkpointOf(anchor?.checkpoint);
  const last = receipts.at(-1);
  return section(
    "The proof",
    facts([
      ["Receipt", hash(last?.receiptId)],
      ["Receipt signed with the key", hash(last?.signature.kid)],
      ["Hash of the record (leaf)", hash(integrity.leafHash)],
      ["Log", hash(log?.origin)],
      ["Index in the log", log === null ? undefined : String(log.leafIndex)],
      ["Size of the log", log?.treeSize === undefined ? undefined : String(log.treeSize)],
      ["Root hash", hash(checkpoint?.root.toString("base64"))],
      [
        "Anchor log: index and size",
        anchor?.treeSize === undefined ? undefined : `${anchor.anchorIndex}, ${anchor.treeSize}`,
      ],
      ["Anchor log: root hash", hash(anchored?.root.toString("base64"))],
      ["Time-stamping authority", anchor?.tsaName ?? undefined],
      ["Bundle", exact(bundleId)],
      ["Bundle signed with the key", exact(bundleSignature.kid)],
    ]),
    log?.checkpoint === undefined ? nothing : markup`<h3>Signed checkpoint of the log</h3>${note(log.checkpoint)}`,
    anchor?.checkpoint === undefined
      ? nothing
      : markup`<h3>Signed checkpoint of the anchor log</h3>${note(anchor.checkpoint)}`,
    integrity.records.length < 2
      ? nothing
      : markup`<h3>All records of the session</h3>${list(
          [["Index", 12], "Kind", ["Hash of the record", 114]],
          integrity.records,
          (record) => [record.log === null ? null : String(record.log.leafIndex), record.kind, hash(record.leafHash)],
        )}`,
  );
}

const checkpointOf = (signedNote: string | undefined) =>
  signedNote === undefined ? undefined : parseCheckpoint(signedNote.slice(0, signedNote.indexOf("\n\n") + 1));

/** As it is, in lines. */
const note = (text: string): Markup =>
  markup`<p class="small">${text
    .trimEnd()
    .split("\n")
    .map((line, index) => markup`${index === 0 ? nothing : markup`<br>`}${line === "" ? "" : exact(line)}`)}</p>`;

export function verifySection({ organizationId }: PrintedBundle, issuer: string): Markup {
  const commands = [
    "pdfdetach -save 1 evidence.pdf",
    `curl -s ${issuer}/verify/verify-bundle.mjs > verify-bundle.mjs`,
    `curl -s "${issuer}/.well-known/click-keys.json?log=${organizationId}" > keys.json`,
    "node verify-bundle.mjs bundle.json --keys keys.json",
  ];
  return section(
    "How to verify it",
    paragraph(
      "Save the attached file bundle.json: any reader of PDF shows the attachments, and the first line below does it too. Then have it checked, offline, by the verifier, a single readable file. Fetch the keys from the issuer yourself, best long before you need them, and not from whoever gave you this document.",
    ),
    markup`<pre>\n${commands.map((line) => `${line}\n`).join("")}</pre>`,
    markup`<p>The page ${exact(`${issuer}/verify`)} runs the same verifier in a browser; nothing is uploaded. Exit code 0, or “nothing failed”, means that everything in the file is as it was signed. This document is for reading: what is verified is the attached file, so compare what stands here with what the verifier says.</p>`,
  );
}
