import { describe, expect, test } from "@jest/globals";
import { canonicalJson } from "#platform/canonical-json.ts";
import { digestOf, parseDisclosure } from "#platform/vault/disclosures.ts";
import { type AcceptanceEvidence, keptEvidence, restoreEvidence } from "../acceptance-evidence.ts";
import { acceptanceLeaf, type RecordedReceipt } from "../receipt.ts";

const receipt: RecordedReceipt = {
  receiptId: "0193489d-0000-7000-8000-000000000001",
  status: "RECORDED",
  decision: "ACCEPT",
  organizationId: "0193489d-0000-7000-8000-000000000002",
  sessionId: "0193489d-0000-7000-8000-000000000003",
  userRef: "ann@customer.example",
  templateId: "0193489d-0000-7000-8000-000000000004",
  templateSlug: "terms",
  templateName: "Terms",
  templateType: "STATIC",
  versionId: "0193489d-0000-7000-8000-000000000005",
  revision: 3,
  versionLabel: 'Überarbeitung "2.0" \u2028 \u0007 \ud83d\ude00',
  locale: "de-CH",
  contentHash: "sha256:content",
  renderHash: "sha256:render",
  deploymentId: "0193489d-0000-7000-8000-000000000006",
  action: "CHECKBOX_AND_BUTTON",
  assertedBy: "BACKEND",
  purposes: [{ purpose: "news", granted: true }],
  acceptedAt: "2026-11-20T17:00:00.123Z",
  clientAcceptedAt: "2026-11-20T16:59:59.000Z",
  expiresAt: null,
  reacceptBy: null,
  superseded: false,
  verification: [{ method: "EMAIL", verifiedAt: null }],
  policy: { hash: "sha256:policy", satisfied: true },
  idempotencyKey: "signup 42",
  evidenceUrl: "/v1/click/evidence/0193489d-0000-7000-8000-000000000003",
};

const shown = {
  renderId: "0193489d-0000-7000-8000-000000000007",
  renderedAt: "2026-11-20T16:59:00.000Z",
  renderHash: "sha256:render",
  wordsHash: "sha256:words",
  renderToken: "the.render.token",
  deploymentId: "0193489d-0000-7000-8000-000000000006",
  deploymentHash: "sha256:deployment",
  data: { name: "Ann" },
};

const evidence: AcceptanceEvidence = {
  presentation: { surface: "WEB", scrolledToEnd: true },
  claimed: {
    ip: "198.51.100.7",
    userAgent: "Firefox/1",
    pageUrl: "https://shop.example/",
    pageTitle: "Shop",
    referrer: "https://search.example",
    acceptLanguage: "de",
    timezone: "Europe/Zurich",
    gpc: false,
  },
  observed: { ip: "203.0.113.77", userAgent: "backend/1", clientId: "cl", requestId: "req" },
  verification: [{ method: "EMAIL", reference: "ann@customer.example" }],
  typedName: "Ann Example",
  copyTo: "ann@mail.example",
  metadata: { order: "7" },
  checks: [],
  shown,
};

const nothing: AcceptanceEvidence = {
  presentation: null,
  claimed: null,
  observed: { ip: null, userAgent: null, clientId: "cl", requestId: "req" },
  verification: [],
  typedName: null,
  copyTo: null,
  metadata: {},
  checks: [],
};

const input = { issuer: "https://agreements.example.com", receipt, evidence, termsHash: Buffer.alloc(32, 1) };

const namesOf = (disclosures: readonly string[]) => disclosures.map((one) => parseDisclosure(one)?.name);

describe("acceptanceLeaf", () => {
  test.each([
    ["with everything", input],
    ["with next to nothing", { ...input, evidence: nothing, receipt: { ...receipt, purposes: [], renderHash: null } }],
  ])("%s is canonical JSON as it comes", (_, given) => {
    const { leaf } = acceptanceLeaf(given);
    expect(leaf).toBe(canonicalJson(JSON.parse(leaf)));
  });

  test("commits to every personal value and holds none of them", () => {
    const generated = { ...input, receipt: { ...receipt, templateType: "GENERATED" as const } };
    const { leaf, disclosures } = acceptanceLeaf(generated);
    const { _sd } = JSON.parse(leaf) as { _sd: string[] };
    expect(new Set(_sd)).toEqual(new Set(disclosures.map(digestOf)));
    expect(namesOf(disclosures)).toEqual([
      "userRef",
      "idempotencyKey",
      "ip",
      "userAgent",
      "pageUrl",
      "referrer",
      "context",
      "observed",
      "verification",
      "typedName",
      "copyTo",
      "metadata",
      "mergeData",
      "consents",
      "presentation",
      "renderHash",
      "renderToken",
    ]);
    for (const value of ["ann@", "signup", "198.51", "203.0", "Firefox", "shop.", "Ann", "news", "sha256:render"]) {
      expect(leaf).not.toContain(value);
    }
  });

  test("names the rendering of a text that is the same for everybody", () => {
    const { leaf, disclosures } = acceptanceLeaf(input);
    expect(JSON.parse(leaf)).toMatchObject({ renderHash: "sha256:render", wordsHash: "sha256:words" });
    expect(namesOf(disclosures)).not.toContain("renderHash");
  });

  test("does not tell how much was said", () => {
    const few = acceptanceLeaf({ ...input, evidence: nothing, receipt: { ...receipt, purposes: [] } });
    expect(namesOf(few.disclosures)).toEqual(["userRef", "idempotencyKey", "observed"]);
    const digests = (leaf: string) => (JSON.parse(leaf) as { _sd: string[] })._sd;
    expect(digests(few.leaf)).toHaveLength(17);
    expect(digests(acceptanceLeaf(input).leaf)).toHaveLength(17);
  });

  test("a decline has a kind of its own", () => {
    const { leaf } = acceptanceLeaf({ ...input, receipt: { ...receipt, decision: "DECLINE" } });
    expect(JSON.parse(leaf)).toMatchObject({ kind: "click.decline", rid: receipt.receiptId, sid: receipt.sessionId });
  });
});

describe("what is kept of the evidence", () => {
  const { shown: _, ...unshown } = evidence;

  test.each([
    ["all of it", evidence],
    ["nothing about how the text was shown", unshown],
    ["next to nothing", nothing],
    ["an empty statement about the user's side", { ...nothing, claimed: {} }],
  ])("gives it back with the disclosures: %s", (_name, given: AcceptanceEvidence) => {
    const { disclosures } = acceptanceLeaf({ ...input, evidence: given });
    const kept = JSON.parse(JSON.stringify(keptEvidence(given)));
    const renderHash = given.shown?.renderHash ?? null;
    expect(restoreEvidence(kept, disclosures, renderHash)).toEqual(given);
    expect(JSON.stringify(kept)).not.toMatch(/Ann|Firefox|198|token|news/);
  });
});
