import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { strFromU8, unzipSync } from "fflate";
import { ContentFormat } from "#gen/assent/templates/v1/templates_pb.ts";
import { describeWithOpenssl } from "../../../../test/verify/support/openssl.ts";
import { insertTimestamp } from "../../log/anchor-store.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, startClick } from "../../test/harness.ts";
import { zipFiles } from "../make-archive.ts";
import { evidenceActions, failuresOf } from "./evidence-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);
const { renderDeployment, renderSession } = renderActions(() => click);
const { archiveOf, integrate, anchor, verify } = evidenceActions(() => click);

const unzip = (archive: Uint8Array): Record<string, string> =>
  Object.fromEntries(Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, strFromU8(bytes)]));

describe("the archive of a session", () => {
  test("holds the bundle, its parts as files, and how to verify them", async () => {
    const template = addTemplate({ versions: [] });
    const content = "# Terms\n\nBe *kind* – and fair.";
    click.templates.addVersion(template, { content, format: ContentFormat.MARKDOWN });
    const orgId = orgOf(template);
    const { id: sessionId, renderToken } = await create(template, { userRef: "user-1" });
    const { html } = await renderSession(template, sessionId, { token: renderToken });
    await accept(template, { sessionId });
    await complete(template, sessionId);
    await integrate(orgId);
    await anchor();
    const files = unzip(await archiveOf(orgId, sessionId));
    expect(Object.keys(files)).toEqual([
      "README-902.txt",
      "bundle.json",
      "content.md",
      "rendered.html",
      "receipt.jws",
      "proof.tlog-proof",
      "anchor.tlog-proof",
      "keys.json",
    ]);
    const bundle = JSON.parse(files["bundle.json"] ?? "");
    expect(failuresOf(await verify(orgId, files["bundle.json"] ?? ""))).toEqual([]);
    const { records, log, anchor: anchored, keys, logKeys } = bundle.integrity;
    expect(files).toMatchObject({
      "content.md": content,
      "rendered.html": html,
      "receipt.jws": records.map(({ receiptJws }: { receiptJws: string }) => `${receiptJws}\n`).join(""),
      "proof.tlog-proof": ["c2sp.org/tlog-proof@v1", "index 0", ...log.auditPath, "", log.checkpoint].join("\n"),
      "anchor.tlog-proof": [
        "c2sp.org/tlog-proof@v1",
        `index ${anchored.anchorIndex}`,
        ...anchored.auditPath,
        "",
        anchored.checkpoint,
      ].join("\n"),
    });
    expect(JSON.parse(files["keys.json"] ?? "")).toEqual({ keys, logKeys, tsaCertificates: [] });
  });

  test("describes the process in plain words, and each file that is there", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template);
    const { "README-902.txt": description = "", ...files } = unzip(await archiveOf(orgOf(template), receipt.sessionId));
    expect(Object.keys(files)).toEqual(["bundle.json", "content.html", "receipt.jws", "keys.json"]);
    for (const name of Object.keys(files)) expect(description).toContain(`  ${name} `);
    expect(description).not.toContain("tst.tsr  ");
    for (const part of [
      "902(13)",
      "902(14)",
      "no legal advice",
      receipt.sessionId,
      "https://assent.localhost/verify/verify-bundle.mjs",
      `https://assent.localhost/.well-known/click-keys.json?log=${orgOf(template)}`,
    ]) {
      expect(description).toContain(part);
    }
  });

  test("has the picture of the deployment as a file of its own, and the verifier looks at that of the bundle", async () => {
    const template = addTemplate();
    const screenshot = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100_000, 7)]);
    const deployment = click.templates.deploy(template, { screenshot });
    const { renderToken } = await renderDeployment(deployment);
    const { receipt } = await acceptTemplate(template, { renderToken });
    const archive = unzipSync(await archiveOf(orgOf(template), receipt.sessionId, { undisclosed: true }));
    expect(Buffer.from(archive["screenshot.png"] ?? []).equals(screenshot)).toBe(true);
    expect(strFromU8(archive["README-902.txt"] ?? new Uint8Array())).toContain("  screenshot.png ");
    const result = await verify(orgOf(template), strFromU8(archive["bundle.json"] ?? new Uint8Array()));
    expect(failuresOf(result)).toEqual([]);
    expect(result.checks).toContainEqual(expect.objectContaining({ check: "SCREENSHOT_HASH", status: "PASS" }));
  });

  test("of a session that nothing happened in has no proofs", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    expect(Object.keys(unzip(await archiveOf(orgOf(template), id)))).toEqual([
      "README-902.txt",
      "bundle.json",
      "content.html",
      "keys.json",
    ]);
  });

  test("without what is personal holds nothing personal anywhere", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template, { userRef: "ada@example.com", typedName: "Ada" });
    const wishes = { undisclosed: true };
    const files = unzip(await archiveOf(orgOf(template), receipt.sessionId, wishes));
    expect(JSON.parse(files["bundle.json"] ?? "").disclosed).toBe(false);
    for (const text of Object.values(files)) expect(text).not.toContain("ada@example.com");
  });

  test("of a text of a megabyte is complete", async () => {
    const template = addTemplate({ versions: [] });
    const content = `<p>${"Term — “quoted” & more. ".repeat(30_000)}</p>`;
    click.templates.addVersion(template, { content });
    const { receipt } = await acceptTemplate(template);
    const archive = await archiveOf(orgOf(template), receipt.sessionId);
    expect(unzip(archive)["content.html"]).toBe(content);
  });
});

describeWithOpenssl("the time stamp in an archive", (makeAuthority) => {
  test("is the token as it came", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template);
    await integrate(orgOf(template));
    await anchor();
    const { integrity } = JSON.parse(unzip(await archiveOf(orgOf(template), receipt.sessionId))["bundle.json"] ?? "");
    const { checkpoint, treeSize: anchorSize } = integrity.anchor;
    const token = makeAuthority().stamp(checkpoint);
    await insertTimestamp(click.superuser, { anchorSize, token, tsaName: "CN=tsa", stampedAt: new Date() }, new Date());
    const files = unzipSync(await archiveOf(orgOf(template), receipt.sessionId));
    expect(Buffer.from(files["tst.tsr"] ?? [])).toEqual(token);
    // What the stamp is over ends the proof of the anchor.
    expect(strFromU8(files["anchor.tlog-proof"] ?? new Uint8Array()).endsWith(`\n\n${checkpoint}`)).toBe(true);
  });
});

describe("a ZIP archive", () => {
  const files = [
    { name: "a.txt", bytes: Buffer.from("text ".repeat(1_000)) },
    { name: "empty.bin", bytes: Buffer.alloc(0) },
  ];
  const time = new Date("2026-11-20T17:00:02.123Z");

  test("has the same bytes for the same files and time, wherever it is made", async () => {
    const zone = process.env.TZ;
    const first = await zipFiles(files, time);
    try {
      // In the hour after that in which the summer begins somewhere, too.
      const beginning = new Date("2026-03-29T01:30:00Z");
      process.env.TZ = "UTC";
      const atBeginning = await zipFiles(files, beginning);
      for (const other of ["Asia/Tokyo", "America/Los_Angeles", "Europe/Berlin"]) {
        process.env.TZ = other;
        expect(await zipFiles(files, time)).toEqual(first);
        expect(await zipFiles(files, beginning)).toEqual(atBeginning);
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
    expect(await zipFiles(files, new Date(time.getTime() + 2_000))).not.toEqual(first);
    expect(unzip(first)).toEqual({ "a.txt": "text ".repeat(1_000), "empty.bin": "" });
  });
});
