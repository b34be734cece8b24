import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createMetrics } from "#platform/metrics.ts";
import { recordingLogger } from "#platform/rpc/test/harness.ts";
import { describeWithTools } from "#platform/testing/judges.ts";
import { configuredSealer } from "../configured-sealer.ts";
import { createPemSigner } from "../seal-signer.ts";
import { createSealer } from "../sealer.ts";
import { makeTestCertificate } from "../test-certificate.ts";

describeWithTools(["openssl"], "a sealer with certificates of earlier keys", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sealer-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");

  /** A certificate and the one of the authority that has issued it. */
  function issued(): { readonly leaf: string; readonly root: string } {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    openssl("req", "-x509", ...key, "-keyout", "root.key", "-out", "root.pem", "-subj", "/CN=Root", "-days", "9");
    openssl("req", ...key, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=Seal");
    writeFileSync(join(folder, "leaf.ext"), "basicConstraints=CA:FALSE");
    const by = ["-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "9", "-extfile", "leaf.ext"];
    openssl("x509", "-req", "-in", "leaf.csr", ...by, "-out", "leaf.pem");
    return { leaf: read("leaf.pem"), root: read("root.pem") };
  }

  test("follows the files of its key and certificates, and keeps the former ones while they do not match", async () => {
    const make = (name: string) => makeTestCertificate({ name, now: new Date(), years: 1 });
    const [first, second] = [await make("First"), await make("Second")];
    const files = { ...first, former: "" };
    const seal = { key: () => files.key, certificates: () => files.certificates, former: () => files.former };
    const { logger, lines } = recordingLogger();
    const sealer = configuredSealer({ seal, tsa: undefined }, { logger, metrics: createMetrics() });
    const names = () => [sealer?.certificates, sealer?.now().statement("a", new Date()).name];
    const begun = sealer?.now();
    files.certificates = second.certificates;
    expect(names()).toEqual([first.certificates, "First"]);
    expect(lines.at(-1)).toMatchObject({ level: "warn" });
    Object.assign(files, { key: second.key, former: first.certificates });
    expect(names()).toEqual([second.certificates, "Second"]);
    // A file that was begun with a key is sealed with it.
    expect(begun?.statement("a", new Date()).name).toBe("First");
    expect(sealer?.isOurs(new X509Certificate(first.certificates).raw)).toBe(true);
  });

  test("takes those that sealed for ours, and not the authorities that issued them", async () => {
    const make = () => makeTestCertificate({ name: "Seal of the house", now: new Date(), years: 1 });
    const [own, first, second] = [await make(), await make(), await make()];
    const { leaf, root } = issued();
    // In any order, with and without their roots; those that sign themselves may all have the same name.
    const former = [root, first.certificates, leaf, second.certificates].join("\n");
    const sealer = createSealer({ signer: createPemSigner(own), former });
    const isOurs = (pem: string) => sealer.isOurs(new X509Certificate(pem).raw);
    expect([own.certificates, first.certificates, second.certificates, leaf].map(isOurs)).toEqual(Array(4).fill(true));
    expect([root, (await make()).certificates].map(isOurs)).toEqual([false, false]);
    expect(sealer.formerCertificates.match(/BEGIN CERTIFICATE/g)).toHaveLength(4);
  });
});
