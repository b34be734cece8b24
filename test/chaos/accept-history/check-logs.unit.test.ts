import { generateKeyPairSync, randomUUID } from "node:crypto";
import { checkpointText } from "#platform/transparency/checkpoint.ts";
import { signNote, verifierKey } from "#platform/transparency/signed-note.ts";
import type { Run } from "./healthy-run.ts";
import { expectViolations, receiptOf } from "./spoiled-run.ts";

type Log = Run["observation"]["logs"][number];

const logOf = ({ observation }: Run): Log => {
  const [log] = observation.logs;
  if (log === undefined) throw new Error("there is no log");
  return log;
};

const leafAt = (run: Run, index: number): Log["leaves"][number] => {
  const leaf = logOf(run).leaves[index];
  if (leaf === undefined) throw new Error(`there is no leaf ${index}`);
  return leaf;
};

const placeOf = (run: Run, key: string) => receiptOf(run, key).log as { origin: string; leafIndex: number };

expectViolations("indexes have no gap", {
  "a leaf is missing": (run) => logOf(run).leaves.splice(3, 1),
  "an index was given to nobody": (run) => {
    logOf(run).size += 1;
  },
});

expectViolations("a leaf has its hash", {
  "a leaf was changed": (run) => {
    leafAt(run, 2).leaf = "{}";
  },
});

expectViolations("a checkpoint has the root of its leaves", {
  "a leaf was replaced together with its hash": (run) => {
    const { leaf, leafHash } = leafAt(run, 2);
    Object.assign(leafAt(run, 1), { leaf, leafHash });
  },
});

expectViolations("a checkpoint is signed", {
  "its note was changed": (run) => {
    for (const checkpoint of logOf(run).checkpoints) checkpoint.note = checkpoint.note.replace("\n2\n", "\n3\n");
  },
  "an answered note is signed by a stranger": (run) => logOf(run).notes.push(forgedNote(run).note),
});

expectViolations("one root for each size", {
  "two auditors saw different trees": (run) => {
    const { note, key } = forgedNote(run);
    logOf(run).notes.push(note);
    logOf(run).verifierKeys.push(key);
  },
});

expectViolations("a checkpoint is kept", {
  "one that was answered is not stored": (run) => logOf(run).checkpoints.shift(),
});

expectViolations("every leaf is integrated", {
  "the newest checkpoint is older than the newest leaf": (run) => logOf(run).checkpoints.pop(),
});

expectViolations("a receipt is in the log", {
  "it promises nothing": (run) => {
    receiptOf(run, "retried").log = null;
  },
  "it has no leaf": (run) => {
    leafAt(run, 2).recordId = randomUUID();
  },
  "its leaf is about another record": (run) => {
    [leafAt(run, 1).recordId, leafAt(run, 2).recordId] = [leafAt(run, 2).recordId, leafAt(run, 1).recordId];
  },
  "it names another place": (run) => {
    placeOf(run, "session").leafIndex += 1;
  },
  "somebody else signed it": ({ observation }) => {
    const { x } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    Object.assign(observation.keySet.keys[0] ?? {}, { x });
  },
  "its proof does not hold": (run) => logOf(run).proofs[receiptOf(run, "session").receiptId]?.auditPath.reverse(),
  "it has no proof": (run) => {
    logOf(run).proofs = {};
  },
  "it was integrated later than promised": (run) => {
    for (const checkpoint of logOf(run).checkpoints) checkpoint.createdAt = new Date("2026-11-20T17:01:00.001Z");
  },
});

/** A checkpoint of size 2 with another root, under a key of its own. */
function forgedNote(run: Run): { note: string; key: string } {
  const { origin } = placeOf(run, "lone");
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const signer = { name: origin, key: privateKey, publicKey: raw };
  return { note: signNote(checkpointText(origin, 2, Buffer.alloc(32, 7)), signer), key: verifierKey(origin, raw) };
}
