import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ContentInfo, SignedData } from "pkijs";
import { type HttpAuthority, startHttpAuthority } from "#platform/testing/http-authority.ts";
import { describeWithOpenssl } from "../../../../test/verify/support/openssl.ts";
import { ordinaryPdf } from "../../intake/test/pdfs.ts";
import { oid } from "../../seal/cms.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";
import { documentOf, embeddedSigner, holds, send, sit, untilCompleted } from "./completion-setup.ts";

const target = (value: string) => ({ id: { case: "agreementId" as const, value } });

/** The signature over the last seal of a file, and its time stamp. */
function stampOf(file: Buffer): { readonly signature: Buffer; readonly token: Buffer | undefined } {
  const text = file.toString("latin1");
  const hex = [...text.matchAll(/\/Contents\s*<([0-9A-Fa-f]{1000,})>/g)].at(-1)?.[1] ?? "";
  const der = Buffer.from(hex, "hex");
  const content = ContentInfo.fromBER(der.subarray(0, 4 + der.readUInt16BE(2)));
  const [info] = new SignedData({ schema: content.content }).signerInfos;
  const attribute = info?.unsignedAttrs?.attributes.find(({ type }) => type === oid.timestampToken);
  const [value] = attribute?.values ?? [];
  return {
    signature: Buffer.from(info?.signature.valueBlock.valueHexView ?? []),
    token: value === undefined ? undefined : Buffer.from(value.toBER()),
  };
}

describeWithOpenssl("time stamps of seals", (makeAuthority) => {
  let http: HttpAuthority;
  let authority: ReturnType<typeof makeAuthority>;
  let sign: SignHarness;
  let organization: Organization;
  let original: Uint8Array;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stamps-"));
    http = await startHttpAuthority();
    authority = makeAuthority({ intermediate: true });
    sign = await startSign({ config: { tsa: { url: http.url, trusted: [authority.root] } } });
    await sign.startWorkers();
    organization = sign.organization();
    original = await ordinaryPdf(1);
  });
  afterAll(async () => {
    await sign?.stop();
    await http?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Three documents and a certificate, signed by one person. */
  async function complete(): Promise<{ level: unknown; levels: unknown[]; files: Buffer[] }> {
    const agreement = await send(organization, {
      documents: ["1", "2", "3"].map((documentId) => documentOf(documentId, original)),
      recipients: [embeddedSigner("1", "Ann")],
    });
    await (await sit(sign, organization, agreement, "1"))();
    const { sealLevel } = await untilCompleted(organization, agreement.id);
    const files: Buffer[] = [];
    for (const documentId of ["1", "2", "3"]) {
      const { file } = await organization.getDocumentContent({ target: target(agreement.id), documentId });
      files.push(Buffer.from(file?.content ?? []));
    }
    files.push(Buffer.from((await organization.getCertificate({ agreementId: agreement.id })).file?.content ?? []));
    const { events } = await organization.listAuditEvents({ agreementId: agreement.id });
    const completed = events.find(({ action }) => action === "agreement.completed");
    const { documents } = JSON.parse(completed?.detailsJson ?? "{}") as { documents: { sealLevel: string }[] };
    expect(files.every(holds)).toBe(true);
    return { level: sealLevel, levels: documents.map((one) => one.sealLevel), files };
  }

  /** As others would verify it; throws when it does not hold. */
  function verifyStamp({ signature, token }: ReturnType<typeof stampOf>): void {
    const path = (name: string) => join(folder, name);
    writeFileSync(path("token.der"), token ?? "");
    writeFileSync(path("signature"), signature);
    writeFileSync(path("root.pem"), authority.root);
    const asked = ["-in", path("token.der"), "-token_in", "-data", path("signature"), "-CAfile", path("root.pem")];
    execFileSync("openssl", ["ts", "-verify", ...asked], { stdio: "pipe" });
  }

  test("are over the signatures of all files, and the level is recorded", async () => {
    http.answer(authority.reply);
    const { level, levels, files } = await complete();
    expect([level, levels]).toEqual(["B-T", ["B-T", "B-T", "B-T"]]);
    for (const file of files) verifyStamp(stampOf(file));
    // Each of its own.
    expect(new Set(files.map((file) => stampOf(file).token?.toString("hex"))).size).toBe(4);
  });

  test.each([
    ["answers with an error", 0, (): Buffer => Buffer.alloc(0)],
    ["answers rubbish", 0, (): Buffer => Buffer.from("not a reply")],
    ["answers about something else", 0, (): Buffer => authority.answer("something else")],
    ["works for two files and then answers rubbish", 2, (): Buffer => Buffer.from("3003020102", "hex")],
  ])("are left out when the authority %s, which is not asked again for the agreement", async (name, good, reply) => {
    let asked = 0;
    http.answer((query) => {
      asked += 1;
      if (name.includes("error")) throw new Error("away");
      return asked <= good ? authority.reply(query) : reply();
    });
    const { level, levels, files } = await complete();
    const expected = [0, 1, 2, 3].map((index) => (index < good ? "B-T" : "B-B"));
    expect([level, levels]).toEqual(["B-B", expected.slice(0, 3)]);
    expect(files.map((file) => (stampOf(file).token === undefined ? "B-B" : "B-T"))).toEqual(expected);
    expect(asked).toBe(good + 1);
  });

  test("are left out when the authority hangs, which is waited for once", async () => {
    let asked = 0;
    http.handle(() => {
      asked += 1;
    });
    const { level, levels } = await complete();
    expect([level, levels, asked]).toEqual(["B-B", ["B-B", "B-B", "B-B"], 1]);
    // It is asked again for the next agreement.
    http.answer(authority.reply);
    expect((await complete()).level).toBe("B-T");
  });
});
