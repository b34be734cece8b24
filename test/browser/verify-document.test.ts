import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PDFDocument } from "pdf-lib";
import type { Page } from "playwright-core";
import { createLogger } from "#platform/logger.ts";
import { until } from "#platform/testing/until.ts";
import { verifyDocumentRoutes } from "../../gateway/routes/verify.ts";
import { defaultVerifierFolder, loadDocumentPage } from "../../gateway/verifier.ts";
import { fixByteRange } from "../../services/sign/seal/byte-range.ts";
import { createPemSigner } from "../../services/sign/seal/seal-signer.ts";
import { createSealer, type Sealer } from "../../services/sign/seal/sealer.ts";
import { addSignaturePlaceholder } from "../../services/sign/seal/signature-placeholder.ts";
import { makeTestCertificate } from "../../services/sign/seal/test-certificate.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import { broughtBy } from "./support/keyboard.ts";
import { screenshot } from "./support/signing.ts";

const looks = {
  desk: {},
  telephone: { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true, colorScheme: "dark" },
} as const;

const made = { now: new Date("2026-01-01T00:00:00Z"), years: 10 };

async function sealedBy(sealer: Sealer): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage().drawText("Agreed");
  addSignaturePlaceholder(document, sealer.statement("agreement-1", new Date()));
  const prepared = fixByteRange(await document.save({ useObjectStreams: false }));
  await sealer.seal(prepared, "B-B", AbortSignal.timeout(5_000));
  return Buffer.from(prepared.bytes);
}

describeInBrowser("the page that checks sealed documents", (pages) => {
  let server: Server;
  let url: string;
  let own: Sealer;
  const files = new Map<string, Buffer>();
  const fileOf = (name: string): Buffer => files.get(name) ?? Buffer.alloc(0);
  /** The bodies of what was asked. */
  let asked: unknown[] = [];
  let isAway = false;

  beforeAll(async () => {
    const earlier = await makeTestCertificate({ name: "Our seal", ...made });
    own = createSealer({
      signer: createPemSigner(await makeTestCertificate({ name: "Our seal", ...made })),
      former: earlier.certificates,
    });
    const former = createSealer({ signer: createPemSigner(earlier) });
    const foreign = createSealer({ signer: createPemSigner(await makeTestCertificate({ name: "Mallory", ...made })) });
    const sealed = await sealedBy(own);
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
    files
      .set("sealed.pdf", sealed)
      .set("unknown.pdf", await sealedBy(own))
      .set("changed.pdf", changed)
      .set("former.pdf", await sealedBy(former))
      .set("longer.pdf", Buffer.concat([sealed, Buffer.from("% more\n")]))
      .set("foreign.pdf", await sealedBy(foreign))
      .set("plain.pdf", Buffer.from("%PDF-1.7\n%%EOF\n"));
    server = createServer(
      (req, res) =>
        void answer(req.method, req.url, buffer(req)).then((it) => res.writeHead(it.status, it.headers).end(it.body)),
    );
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/verify/document`;
  });
  afterAll(() => {
    server?.close();
  });

  const party = (name: string) => ({
    recipientId: "1",
    name,
    role: 1,
    status: 4,
    endedAt: { seconds: 1_795_000_000n, nanos: 0 },
  });
  const known = {
    ...{ kind: 2, organizationName: "Example AG", emailSubject: "Please sign", documentName: "NDA.pdf" },
    ...{ agreementId: "agreement-1", completedAt: { seconds: 1_795_000_100n, nanos: 0 }, isAuditIntact: true },
    parties: [party("Ann Example"), party("<img src=x onerror=alert(1)>")],
    evidenceLeafHash: new Uint8Array(32).fill(0xab),
  };
  /** A sign service that knows one file. */
  const sign = {
    getSealCertificate: async () => ({ certificates: own.certificates + own.formerCertificates, isTest: true }),
    verifySeal: async ({ file }: { file: { file: { value: Uint8Array } } }) => {
      const { value: sha256 } = file.file;
      const isKnown = createHash("sha256").update(fileOf("sealed.pdf")).digest().equals(sha256);
      return { sha256, seals: [], ...(isKnown ? { summary: known } : {}) };
    },
  };

  /** As the gateway answers with its routes. */
  async function answer(method = "GET", path = "", sent: Promise<Buffer>) {
    const route = verifyDocumentRoutes.find((one) => one.method === method && one.path === path);
    if (route === undefined || (isAway && method === "POST")) return { status: 503, headers: {}, body: "{}" };
    const body = method === "POST" ? JSON.parse((await sent).toString()) : {};
    if (method === "POST") asked.push(body);
    const documentPage = loadDocumentPage(defaultVerifierFolder, {
      required: true,
      logger: createLogger("test", "silent"),
    });
    const reply = await route.handle({ body, files: [] } as never, { documentPage, sign } as never);
    return {
      status: reply.status,
      headers: { "content-type": reply.contentType ?? "application/json", ...reply.headers },
      body: reply.body,
    };
  }

  async function open(options = {}): Promise<Page> {
    const page = await pages.open({ locale: "en-US", ...options });
    await page.goto(url);
    asked = [];
    return page;
  }

  /** As a person's hand does it: a file over the page, let go. */
  async function drop(page: Page, name: string): Promise<void> {
    const transfer = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob("${fileOf(name).toString("base64")}"), (one) => one.charCodeAt(0));
      const holder = new DataTransfer();
      holder.items.add(new File([bytes], "${name}", { type: "application/pdf" }));
      return holder;
    })()`);
    for (const type of ["dragover", "drop"]) await page.dispatchEvent("body", type, { dataTransfer: transfer });
  }

  const verdict = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

  test("tells who has signed a sealed file, and sends nothing but its hash", async () => {
    const page = await open({ bypassCSP: false });
    await drop(page, "sealed.pdf");
    await verdict(page, "Sealed here and unchanged");
    expect(asked).toEqual([{ sha256: createHash("sha256").update(fileOf("sealed.pdf")).digest("hex") }]);
    for (const text of ["Ann Example", "<img src=x onerror=alert(1)>", "Our seal"]) {
      await page.getByRole("rowheader", { name: text }).waitFor();
    }
    for (const text of ["Example AG", `sha256:${"ab".repeat(32)}`]) await page.getByText(text).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.id")).toBe("verdict");
  });

  test("tells of changed, extended, forgotten and foreign files what they are", async () => {
    const page = await open();
    for (const [name, expected] of [
      ["changed.pdf", "Changed after it was sealed"],
      ["longer.pdf", "Something was added after it was sealed"],
      ["unknown.pdf", "A seal of ours, but not on record"],
      ["former.pdf", "A seal of ours, but not on record"],
      ["foreign.pdf", "Not sealed here"],
      ["plain.pdf", "Not sealed here"],
    ] as const) {
      await drop(page, name);
      await page.getByText(name, { exact: true }).waitFor();
      await verdict(page, expected);
    }
    await drop(page, "longer.pdf");
    await page.getByText("7 bytes follow the sealed part. That part is exactly the document below").waitFor();
    await page.getByRole("rowheader", { name: "Ann Example" }).waitFor();
    await drop(page, "foreign.pdf");
    await page.getByRole("rowheader", { name: "Mallory" }).waitFor();
    expect(asked.every((one) => Object.keys(one as object).join() === "sha256")).toBe(true);
  });

  test("says so when nobody answers", async () => {
    const page = await open();
    isAway = true;
    await drop(page, "sealed.pdf");
    await page.getByRole("alert").getByText("could not be made").waitFor();
    isAway = false;
    await drop(page, "sealed.pdf");
    await verdict(page, "Sealed here and unchanged");
    expect(await page.getByRole("alert").isVisible()).toBe(false);
  });

  test("speaks German, and works by the keyboard", async () => {
    const page = await open({ locale: "de-DE" });
    await page.keyboard.press("Tab");
    await until(() => page.evaluate<boolean>("document.activeElement.id === 'file'"));
    const chooser = await broughtBy(page, "filechooser", () => page.keyboard.press("Space"));
    await chooser.setFiles({ name: "a.pdf", mimeType: "application/pdf", buffer: fileOf("sealed.pdf") });
    await verdict(page, "Hier versiegelt und unverändert");
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
  });

  test("in Arabic it runs from right to left, with names and hashes in their own direction", async () => {
    const page = await open({ locale: "ar-EG", viewport: { width: 375, height: 740 }, bypassCSP: true });
    await drop(page, "sealed.pdf");
    await verdict(page, "خُتم هنا ولم يتغيّر");
    await page.getByRole("rowheader", { name: "Ann Example" }).waitFor();
    expect(await page.evaluate("[document.documentElement.lang, getComputedStyle(document.body).direction]")).toEqual([
      ...["ar", "rtl"],
    ]);
    await drop(page, "longer.pdf");
    await page.getByText("بعد الجزء المختوم").waitFor();
    await screenshot(page, "check-arabic");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test.each(Object.entries(looks))("has nothing that axe objects to: %s", async (_name, look) => {
    // The policy of the page refuses the script of axe, as it must.
    const page = await open({ ...look, bypassCSP: true });
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const [name, expected] of [
      ["sealed.pdf", "Sealed here and unchanged"],
      ["changed.pdf", "Changed after it was sealed"],
      ["plain.pdf", "Not sealed here"],
    ] as const) {
      await drop(page, name);
      await verdict(page, expected);
      expect(await accessibilityProblems(page)).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(overflow)).toBe(0);
    }
  });
});
