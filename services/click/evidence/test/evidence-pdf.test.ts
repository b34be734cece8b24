import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { Profile } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, fromConnectError, toConnectError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, startClick } from "../../test/harness.ts";
import { type BundleWishes, evidenceActions, failuresOf } from "./evidence-actions.ts";
import { evidenceJourneys, personalIn } from "./evidence-journeys.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());
afterEach(() => {
  click.renderer.before.render = () => undefined;
});

const { addTemplate, acceptTemplate } = clientActions(() => click);
const { verify, integrate, anchor, erase, restrict } = evidenceActions(() => click);
const journeys = evidenceJourneys(() => click);

const pdfOf = async (orgId: OrgId, sessionId: string, wishes: BundleWishes = {}): Promise<string> => {
  const { pdf, bundleJson } = await click.client.getEvidenceBundle({ sessionId, pdf: true, ...wishes }, as(orgId));
  expect(bundleJson).toBe("");
  return Buffer.from(pdf).toString();
};
const rendered = () => {
  const request = click.renderer.seen.at(-1);
  if (request === undefined) throw new Error("nothing was rendered");
  return request;
};
const attached = (): Record<string, string> =>
  Object.fromEntries(
    rendered().attachments.map(({ fileName, content }) => [fileName, Buffer.from(content).toString()]),
  );
const knownCodeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => "ok",
    (error: unknown) => fromConnectError(error)?.code ?? String(error),
  );
const failsWith = (code: "GEN_RENDER_FAILED" | "GEN_TEMPLATE_ERROR" | "GEN_BUSY") => (): never => {
  throw toConnectError(new DomainError(code));
};

describe("evidence as PDF", () => {
  test("is made of the signed bundle, which is attached with the text", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template, { userRef: "ada@example.com" });
    await integrate(orgOf(template));
    await anchor();
    const pdf = await pdfOf(orgOf(template), receipt.sessionId);
    const files = attached();
    expect(Object.keys(files)).toEqual(["bundle.json", "content.html"]);
    expect(files["content.html"]).toBe("<p>The terms.</p>");
    const bundleJson = files["bundle.json"] ?? "";
    expect(failuresOf(await verify(orgOf(template), bundleJson))).toEqual([]);
    const bundle = JSON.parse(bundleJson);
    for (const fact of [
      receipt.receiptId,
      receipt.contentHash,
      "ada@example.com",
      "<p>The terms.</p>",
      bundle.bundleId,
    ]) {
      expect(pdf).toContain(fact);
    }
    const { profile, title, page, createdAt } = rendered();
    expect([profile, title]).toEqual([Profile.PDF_A_3A, "Evidence: Terms"]);
    expect(page?.footer).toBe(`Receipt ${receipt.receiptId} · page {page} of {pages}`);
    expect(Number(createdAt?.seconds)).toBe(Math.floor(Date.parse(bundle.generatedAt) / 1000));
  });

  test.each(Object.entries(journeys))(
    "tells of %s, and with nothing personal when that is asked for",
    async (_, go) => {
      const { orgId, sessionId } = await go();
      const pdf = await pdfOf(orgId, sessionId);
      expect(pdf).toContain(sessionId);
      expect(pdf).not.toMatch(/undefined|\[object|NaN/);
      const bare = await pdfOf(orgId, sessionId, { undisclosed: true });
      expect(bare).toContain("Personal data was left out.");
      expect([personalIn(bare), personalIn(JSON.stringify(attached()))]).toEqual([[], []]);
    },
  );

  test("says what was erased or restricted instead of the data", async () => {
    const journey = journeys["a merged text of a session"];
    const restricted = await journey?.();
    const erased = await journey?.();
    if (restricted === undefined || erased === undefined) throw new Error("there is no such journey");
    await restrict(restricted);
    await erase(erased);
    for (const [{ orgId, sessionId }, words] of [
      [restricted, "Personal data is restricted."],
      [erased, "Personal data was erased."],
    ] as const) {
      const pdf = await pdfOf(orgId, sessionId);
      expect(pdf).toContain(words);
      expect([personalIn(pdf), personalIn(JSON.stringify(attached()))]).toEqual([[], []]);
    }
  });

  test("of a text that cannot be printed has it attached only", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template);
    let failures = 0;
    click.renderer.before.render = ({ html }) => {
      if (!html.includes("<p>The terms.</p>")) return;
      failures += 1;
      failsWith("GEN_RENDER_FAILED")();
    };
    const pdf = await pdfOf(orgOf(template), receipt.sessionId);
    expect([failures, pdf.includes("cannot be printed here"), attached()["content.html"]]).toEqual([
      1,
      true,
      "<p>The terms.</p>",
    ]);
  });

  test("of a text of a megabyte has it attached only", async () => {
    const template = addTemplate({ versions: [] });
    const content = `<p>${"Term — “quoted” &amp; more. ".repeat(30_000)}</p>`;
    click.templates.addVersion(template, { content });
    const { receipt } = await acceptTemplate(template);
    const pdf = await pdfOf(orgOf(template), receipt.sessionId);
    expect([pdf.includes("is too long to be printed"), pdf.length < 30_000]).toEqual([true, true]);
    expect(attached()["content.html"]).toBe(content);
  });

  test("is not available while nobody renders", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template);
    const ask = () => knownCodeOf(pdfOf(orgOf(template), receipt.sessionId));
    click.renderer.before.render = () => {
      throw new ConnectError("there is no docgen", Code.Unavailable);
    };
    expect(await ask()).toBe("SERVICE_UNAVAILABLE");
    click.renderer.before.render = failsWith("GEN_BUSY");
    expect(await ask()).toBe("SERVICE_UNAVAILABLE");
    click.renderer.before.render = () => undefined;
    expect(await ask()).toBe("ok");
  });

  test("of no session is none", async () => {
    expect(await knownCodeOf(pdfOf(orgOf(addTemplate()), "01961234-5678-7abc-8def-0123456789ab"))).toBe(
      "CLICK_EVIDENCE_NOT_FOUND",
    );
  });
});
