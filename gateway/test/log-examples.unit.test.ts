import { expect, test } from "@jest/globals";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { nodeHash } from "#platform/transparency/merkle.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyConsistency, verifyInclusion } from "#platform/transparency/verify.ts";
import { buildOpenApi } from "../openapi/build.ts";
import { allRoutes } from "../routes/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is read as a client reads it
const document = JSON.parse(JSON.stringify(buildOpenApi(allRoutes))) as any;
const answerOf = (path: string) => document.paths[path].get.responses["200"].content;
const exampleOf = (path: string, type = "application/json") => answerOf(path)[type].example;

const { logKeys } = exampleOf("/.well-known/click-keys.json");
const checkpointIn = (note: string) => parseCheckpoint(verifyNote(note, logKeys)?.text ?? "");
const bytes = (text: string) => Buffer.from(text, "base64");

test("the checkpoints that the description shows verify with the keys that it shows", () => {
  const own = exampleOf("/v1/click/log/checkpoint", "text/plain");
  expect(checkpointIn(own)?.size).toBe(3);
  expect(checkpointIn(exampleOf("/v1/click/log/anchor/checkpoint", "text/plain"))?.size).toBe(3);
});

test("the proofs that the description shows verify", () => {
  const { leafIndex, treeSize, leafHash, auditPath, checkpoint } = exampleOf("/v1/click/log/proofs/inclusion");
  const root = checkpointIn(checkpoint)?.root ?? Buffer.alloc(0);
  const [first, third] = auditPath.map(bytes) as [Buffer, Buffer];
  expect(verifyInclusion(leafIndex, treeSize, bytes(leafHash), [first, third], root)).toBe(true);
  const text = exampleOf("/v1/click/log/proofs/inclusion", "text/plain");
  expect(text).toBe(["c2sp.org/tlog-proof@v1", "index 1", ...auditPath, "", checkpoint].join("\n"));
  const { from, to, path } = exampleOf("/v1/click/log/proofs/consistency");
  expect([from, to, path]).toEqual([2, 3, [auditPath[1]]]);
  const earlier = nodeHash(first, bytes(leafHash));
  expect(verifyConsistency(from, to, path.map(bytes), earlier, root)).toBe(true);
});

test("a tile is described as bytes, which have no schema", () => {
  expect(answerOf("/v1/click/log/tile/{level}/{index}")).toEqual({ "application/octet-stream": {} });
});
