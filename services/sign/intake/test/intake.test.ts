import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "@jest/globals";
import { PDFDocument } from "pdf-lib";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { maxDocumentBytes } from "#platform/document-bounds.ts";
import { isOutage } from "#platform/outage.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import type { Intake, IntakeOptions } from "../intake.ts";
import { onePage, ordinaryPdf } from "./pdfs.ts";
import { signedPdf } from "./signed-pdf.ts";
import { pdfFile, rendererThat, startIntake } from "./start-intake.ts";

let intakes: Intake[] = [];
afterEach(async () => {
  await Promise.all(intakes.map((intake) => intake.close()));
  intakes = [];
  expect(processes()).toEqual([]);
});

function start(options: Partial<IntakeOptions> = {}): Intake {
  const intake = startIntake(options);
  intakes.push(intake);
  return intake;
}

/** Our intake processes. */
const processes = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const program = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        return parent === String(process.pid) && state !== "Z" && program.includes("pdf-process.mjs");
      } catch {
        return false;
      }
    });

/** Keeps the reader busy until its deadline: nothing says where its objects are, and each of them has no end. */
const slowPdf = (size = 4_000_000): Buffer => Buffer.from(`%PDF-1.7\n${"1 0 obj (".repeat(size / 9)}`);

describe("check", () => {
  test("tells the pages as they are shown, and the hashes of what was sent and of the document", async () => {
    const bytes = onePage({ page: "/MediaBox[0 0 600 800]/CropBox[100 0 700 500]/Rotate -90" });
    const [document] = await start().check("org", [pdfFile(bytes, { documentId: "7", name: "NDA" })]);
    expect(document).toMatchObject({ documentId: "7", name: "NDA", isSigned: false });
    expect(document?.pages).toEqual([{ width: 500, height: 500 }]);
    expect(document?.sha256.equals(sha256Of(document.bytes))).toBe(true);
    expect(document?.sentSha256.equals(sha256Of(bytes))).toBe(true);
  });

  test("sees that a PDF is signed", async () => {
    const signed = await signedPdf();
    const [document] = await start().check("org", [pdfFile(signed)]);
    expect(document?.isSigned).toBe(true);
    expect(signed.equals(document?.bytes ?? new Uint8Array())).toBe(true);
    const unsigned = onePage({ catalog: "/AcroForm<</Fields[6 0 R]>>", more: ["<</FT/Sig/T(a)>>"] });
    expect((await start().check("org", [pdfFile(unsigned)]))[0]?.isSigned).toBe(false);
  });

  test("looks for one kind of problem in all files before the next", async () => {
    const intake = start();
    const [good, broken, large] = [onePage({}), Buffer.from("%PDF-1.7"), Buffer.alloc(maxDocumentBytes + 1)];
    const file = (content: Uint8Array | "invalid-base64" | "missing", name = "a", fileExtension = "pdf") =>
      pdfFile(content, { name, fileExtension });
    const check = (...files: ReturnType<typeof file>[]) => intake.check("org", files);
    await expectDomainError(
      check(file(broken), file(large), file(good, "a", "docx"), file("invalid-base64")),
      "INVALID_BASE64",
    );
    await expectDomainError(check(file(broken), file(large), file(good, "a", "docx")), "INVALID_DOCUMENT_FORMAT");
    await expectDomainError(check(file(broken), file(large)), "DOCUMENT_TOO_LARGE");
    const error = await expectDomainError(check(file(good), file(broken)), "CORRUPTED_DOCUMENT");
    expect(error.details[0]?.field).toBe("documents[1]");
    await expectDomainError(check(file("missing")), "VALIDATION_FAILED");
  });

  test.each([
    ["", "NDA.pdf", "ok"],
    ["", "NDA", "ok"],
    ["", "NDA version 1.2", "ok"],
    [".PDF", "NDA.docx", "ok"],
    ["", "NDA.docx", "INVALID_DOCUMENT_FORMAT"],
    ["png", "NDA.pdf", "INVALID_DOCUMENT_FORMAT"],
  ])("takes the extension %j and the name %j: %s", async (fileExtension, name, outcome) => {
    const checked = start().check("org", [pdfFile(onePage({}), { fileExtension, name })]);
    if (outcome === "ok") await checked;
    else await expectDomainError(checked, "INVALID_DOCUMENT_FORMAT");
  });

  test("remembers what it knows of a file, for each organization", async () => {
    const intake = start();
    const bytes = onePage({});
    await intake.check("org", [pdfFile(bytes)]);
    const [pid = 0] = processes();
    process.kill(pid, "SIGKILL");
    await until(() => processes().length === 0 || processes()[0] !== pid);
    const before = processes();
    await intake.check("org", [pdfFile(Buffer.from(bytes))]);
    expect(processes()).toEqual(before);
    await intake.check("other", [pdfFile(bytes)]);
  });
});

describe("processes", () => {
  test("are at most as many as they may be, and a job whose process is killed is done by another one", async () => {
    const intake = start({ size: 2, kept: 2 });
    const files = await Promise.all(Array.from({ length: 40 }, (_, index) => ordinaryPdf(5 + index)));
    const checks = Promise.all(files.map((file) => intake.check("org", [pdfFile(file)])));
    const pid = await until(() => processes()[0]);
    process.kill(pid, "SIGKILL");
    expect((await checks).map(([document]) => document?.pages.length)).toEqual(files.map((_, index) => 5 + index));
    // And one for those who have none.
    expect(processes().length).toBeLessThanOrEqual(3);
  });

  test("that take too long are ended, and the other one goes on meanwhile", async () => {
    const intake = start({ size: 2, kept: 2, deadlines: { check: 2_000 } });
    await intake.check("org", [pdfFile(onePage({}))]);
    let isRefused = false;
    const refused = expectDomainError(intake.check("org", [pdfFile(slowPdf())]), "CORRUPTED_DOCUMENT").then((error) => {
      isRefused = true;
      expect(error.message).toMatch(/too long/);
    });
    for (let n = 0; n < 20; n += 1) await intake.check(`org ${n}`, [pdfFile(onePage({}))]);
    expect(isRefused).toBe(false);
    await refused;
  });

  test("are not waited for by more than can be served", async () => {
    const intake = start({ size: 1, maxWaiting: 2 });
    const checks = [1, 2, 3].map((n) => intake.check(`org ${n}`, [pdfFile(onePage({}))]));
    const last = expectDomainError(checks[2] as Promise<unknown>, "SERVICE_UNAVAILABLE");
    await Promise.all([checks[0], checks[1], last]);
    expect((await last).metadata.retryAfterSeconds).toBe("2");
  });

  test("end at once when the intake is closed, and what waits is refused", async () => {
    const intake = start({ size: 1 });
    const checks = [slowPdf(), onePage({})].map((file) =>
      expectDomainError(intake.check("org", [pdfFile(file)]), "SERVICE_UNAVAILABLE"),
    );
    await until(() => processes().length > 0);
    const begun = performance.now();
    await intake.close();
    await Promise.all(checks);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await expectDomainError(intake.check("org", [pdfFile(onePage({}))]), "SERVICE_UNAVAILABLE");
  });
});

describe("organizations that share the processes", () => {
  /** Takes long enough to be waited for: every page is looked at. */
  const filesOf = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => ordinaryPdf(10 + n)));
  const checkAll = async (organization: string, files: readonly Uint8Array[], intake: Intake, done: string[]) => {
    const checks = files.map(async (file) => {
      await intake.check(organization, [pdfFile(Buffer.from(file))]);
      done.push(organization);
    });
    await Promise.all(checks);
  };

  test("are served by what each has used, whatever one of them has sent before", async () => {
    const intake = start({ size: 1, kept: 1 });
    const [one, few, many] = [await filesOf(1), await filesOf(2), await filesOf(12)];
    await checkAll("anybody", one, intake, []);
    const done: string[] = [];
    const attack = checkAll("attacker", many, intake, done);
    await until(() => done.length > 0);
    const before = done.length;
    await checkAll("victim", few, intake, done);
    // One each was under way; the turns of the attacker, who has used more, come after them.
    expect(done.filter((organization) => organization === "attacker").length - before).toBeLessThan(7);
    await attack;
  });

  test("are refused when they have too much waiting, without a word to others", async () => {
    const intake = start({ size: 1, maxWaiting: 8 });
    const attack = Promise.allSettled(
      await Promise.all(
        Array.from({ length: 12 }, async (_, n) =>
          intake.check("attacker", [pdfFile(Buffer.from(await ordinaryPdf(n + 1)))]),
        ).map((checking) =>
          checking.then(
            () => "taken",
            (error: { code: string }) => error.code,
          ),
        ),
      ),
    );
    await intake.check("victim", [pdfFile(onePage({}))]);
    const outcomes = (await attack).map((outcome) => (outcome.status === "fulfilled" ? outcome.value : ""));
    expect(new Set(outcomes)).toEqual(new Set(["taken", "SERVICE_UNAVAILABLE"]));
  });
});

describe("merge", () => {
  test("puts all pages into one PDF", async () => {
    const files = [await ordinaryPdf(2), onePage({ page: "/MediaBox[0 0 100 200]" }), await signedPdf()];
    const merged = await PDFDocument.load(await start().merge("org", files));
    expect(merged.getPages().map((page) => page.getWidth())).toEqual([595, 595, 100, 600]);
  });

  test("of what cannot be read is refused", async () => {
    await expectDomainError(start().merge("org", [Buffer.from("%PDF-1.7")]), "CORRUPTED_DOCUMENT");
  });
});

describe("conversion", () => {
  test("sends restricted HTML to the renderer and checks what comes back", async () => {
    const asked: string[] = [];
    const pdf = await ordinaryPdf(4);
    const renderer = rendererThat(async ({ html, title }) => {
      asked.push(title, html);
      return pdf;
    });
    const source = Buffer.from("<style>p {}</style><p style='color:red'>Caf\xe9 **signature_1**", "latin1");
    const file = pdfFile(source, { fileExtension: "htm", name: "NDA" });
    const [document] = await start({ renderer }).check("org", [file]);
    expect(asked).toEqual(["NDA", "<p>Café **signature_1**</p>"]);
    expect(document?.pages).toHaveLength(4);
    expect(document?.sentSha256.equals(sha256Of(source))).toBe(true);
  });

  test("keeps the lines of a text, and refuses a file without any", async () => {
    const asked: string[] = [];
    const renderer = rendererThat(async ({ html }) => {
      asked.push(html);
      return onePage({});
    });
    const intake = start({ renderer });
    const text = (content: string) => pdfFile(Buffer.from(content), { fileExtension: "txt" });
    await intake.check("org", [text("a <b>\nc\n\nd")]);
    expect(asked).toEqual(["<p>a &lt;b&gt;<br>\nc</p>\n<p>d</p>\n"]);
    await expectDomainError(intake.check("org", [text(" \n ")]), "INVALID_DOCUMENT_FORMAT");
  });

  test("waits for nobody who is not there", async () => {
    const file = pdfFile(Buffer.from("a"), { fileExtension: "txt" });
    expect(await start().check("org", [file]).catch(isOutage)).toBe(true);
  });
});
