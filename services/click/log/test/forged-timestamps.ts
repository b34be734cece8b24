import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContentInfo, SignedData } from "pkijs";

/** A certificate that issued itself, and its key. */
export interface ForgedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** With this extended key usage. */
export const makeCertificate = (usage: string): ForgedCertificate =>
  inFolder((folder, openssl) => {
    writeFileSync(
      join(folder, "cnf"),
      `[req]\ndistinguished_name = name\nx509_extensions = own\n[name]\n[own]\nextendedKeyUsage = ${usage}\n`,
    );
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem"];
    openssl("req", "-x509", "-config", "cnf", ...key, "-subj", "/CN=forger", "-days", "30", "-out", "own.pem");
    return {
      certificate: readFileSync(join(folder, "own.pem"), "utf8"),
      key: readFileSync(join(folder, "key.pem"), "utf8"),
    };
  });

/** What a token says, without its signature. */
export function statementOf(token: Buffer): Buffer {
  const signed = new SignedData({ schema: ContentInfo.fromBER(token).content });
  return Buffer.from(signed.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0));
}

/** The same, signed by somebody else; `names` says whether the signature names its certificate. */
export const signWith = (
  { certificate, key }: ForgedCertificate,
  statement: Buffer,
  { names = true }: { readonly names?: boolean } = {},
): Buffer =>
  inFolder((folder, openssl) => {
    writeFileSync(join(folder, "own.pem"), certificate);
    writeFileSync(join(folder, "key.pem"), key);
    writeFileSync(join(folder, "statement"), statement);
    const content = ["-binary", "-nodetach", "-econtent_type", "1.2.840.113549.1.9.16.1.4", "-in", "statement"];
    const signer = ["-signer", "own.pem", "-inkey", "key.pem", "-md", "sha256", ...(names ? ["-cades"] : [])];
    openssl("cms", "-sign", ...content, ...signer, "-outform", "DER", "-out", "token");
    return readFileSync(join(folder, "token"));
  });

function inFolder<T>(work: (folder: string, openssl: (...args: string[]) => void) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "assent-forger-"));
  try {
    return work(folder, (...args) => void execFileSync("openssl", args, { cwd: folder, stdio: "pipe" }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
