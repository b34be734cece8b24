import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { VerifyDocumentRequest } from "#gen/assent/sign/v1/verification_pb.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { fakePdf, fakePem } from "./fake-sign-files.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

const page = '<!doctype html><style>p{}</style><script type="module">void 0;</script>';
const sha256 = createHash("sha256").update(fakePdf).digest("hex");
const ofSamples = "ab".repeat(32);

let database: TestDatabase;
let gateway: TestGateway;
let folder: string;
let token: string;
let tokenB: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assent-verify-document-"));
  writeFileSync(join(folder, "verify-document.html"), page);
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url, { config: { verifierFolder: folder } });
  token = await gateway.auth.token("sign:read");
  tokenB = await gateway.auth.token("sign:read", "cl_b", orgB);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const verify = "/v1/sign/verify";
const seal = {
  ...{ intact: true, coversWholeFile: true, ours: true, subject: "CN=Example AG" },
  ...{ certificateSha256: "00".repeat(32), claimedAt: expect.any(String) },
  ...{ addedBytes: 0, addition: null, signedPartSha256: null },
};
const signer = { recipientId: "1", name: "Ann Example", role: "signer", status: "completed" };

describe("POST /v1/sign/verify", () => {
  test("takes a PDF as it is, in JSON, or its hash in any case", async () => {
    const headers = { "Content-Type": "application/pdf" };
    const raw = await fetch(`http://127.0.0.1:${gateway.port}${verify}`, {
      ...{ method: "POST", body: fakePdf, headers: { ...headers, Authorization: `Bearer ${token}` } },
    });
    expect([raw.status, await raw.json()]).toEqual([200, { sha256, seals: [seal], matches: [], deleted: [] }]);
    const inJson = await gateway.call("POST", verify, {
      token,
      body: { documentBase64: fakePdf.toString("base64"), sha256: null },
    });
    expect([inJson.status, inJson.body]).toEqual([200, { sha256, seals: [seal], matches: [], deleted: [] }]);
    const { file } = gateway.sign.lastRequest<VerifyDocumentRequest>("verifyDocument").file ?? {};
    expect(file?.case === "content" && Buffer.from(file.value).equals(fakePdf)).toBe(true);
    const hashed = await gateway.call("POST", verify, { token, body: { sha256: sha256.toUpperCase() } });
    expect([hashed.status, hashed.body]).toEqual([200, { sha256, seals: [], matches: [], deleted: [] }]);
  });

  test("tells where the organization has it, and of another organization's nothing", async () => {
    const { id } = gateway.sign.add(orgA);
    const own = await gateway.call("POST", verify, { token, body: { sha256: ofSamples } });
    expect(own.body.matches).toMatchObject([
      {
        ...{ kind: "sealed", agreementId: id, auditTrailIntact: true, evidence: null },
        ...{ completedAt: expect.any(String), signers: [signer] },
      },
    ]);
    const other = await gateway.call("POST", verify, { token: tokenB, body: { sha256: ofSamples } });
    const unknown = await gateway.call("POST", verify, { token: tokenB, body: { sha256: "cd".repeat(32) } });
    expect([other.status, { ...other.body, sha256: "" }]).toEqual([200, { ...unknown.body, sha256: "" }]);
  });

  test.each([
    ["neither", {}, "VALIDATION_FAILED"],
    ["both", { documentBase64: "JVBERi0=", sha256 }, "VALIDATION_FAILED"],
    ["a short hash", { sha256: "ab" }, "VALIDATION_FAILED"],
    ["something unknown", { sha256, name: "x" }, "VALIDATION_FAILED"],
    ["no Base64", { documentBase64: "JVB~" }, "INVALID_BASE64"],
  ])("refuses %s", async (_name, body, errorCode) => {
    for (const path of [verify, "/verify/document"]) {
      const answer = await gateway.call("POST", path, { token, body });
      expect([answer.status, answer.body.errorCode]).toEqual([400, errorCode]);
    }
  });

  test("needs a credential that may read", async () => {
    expect((await gateway.call("POST", verify, { body: { sha256 } })).status).toBe(401);
    const without = await gateway.auth.token("sign:write");
    expect((await gateway.call("POST", verify, { token: without, body: { sha256 } })).status).toBe(403);
  });
});

describe("the public check", () => {
  test("tells everybody who has the file who has signed it, and asks for nobody", async () => {
    const known = await gateway.call("POST", "/verify/document", { body: { sha256 } });
    expect([known.status, known.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect(known.body).toMatchObject({
      ...{ sha256, seals: [] },
      sealed: { kind: "sealed", organizationName: "Example AG", documentName: "NDA.pdf", signers: [signer] },
    });
    expect(known.body.sealed.evidenceLeafHash).toBe(`sha256:${"ab".repeat(32)}`);
    const unknown = await gateway.call("POST", "/verify/document", { body: { sha256: ofSamples } });
    expect([unknown.status, unknown.body]).toEqual([
      200,
      { sha256: ofSamples, seals: [], sealed: null, deleted: null },
    ]);
  });

  test("has a page of its own, in which nothing runs but what is in it", async () => {
    const { status, text, headers } = await gateway.call("GET", "/verify/document");
    expect([status, text]).toEqual([200, page]);
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "script-src 'sha256-"]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toContain("unsafe");
  });

  test("publishes the sealing certificates, which may be kept for a while", async () => {
    const { status, text, headers } = await gateway.call("GET", "/.well-known/seal-certificates.pem");
    expect([status, text, headers.get("cache-control")]).toEqual([200, fakePem, "public, max-age=300"]);
    expect(headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
  });
});
