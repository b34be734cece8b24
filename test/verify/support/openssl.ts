import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "@jest/globals";

/** A time-stamping authority that OpenSSL plays. */
export interface Authority {
  /** PEM of the root that issued its certificate. */
  readonly root: string;
  /** An RFC 3161 token over these bytes, from now. */
  stamp(data: string): Buffer;
  /** The same token, signed by this authority: with a certificate by which OpenSSL does not stamp, too. */
  signAgain(token: Buffer): Buffer;
  /** A whole answer, of which the token is a part. */
  answer(data: string): Buffer;
  /** The answer to a request; a refusal is an answer too. */
  reply(query: Buffer): Buffer;
}

export type KeyKind = "RSA" | "P-256" | "P-384";

/** Needs OpenSSL: skipped with one line where it is missing, an error in CI. */
export function describeWithOpenssl(name: string, suite: (makeAuthority: MakeAuthority) => void): void {
  const isThere = spawnSync("openssl", ["version"]).status === 0;
  if (!isThere && process.env.CI !== "true") {
    process.stderr.write(`skipped without openssl: ${name}\n`);
    describe.skip(name, () => test("needs openssl", () => undefined));
    return;
  }
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  describe(name, () => suite((options) => makeAuthority(options, folders)));
}

export interface AuthorityOptions {
  readonly keys?: KeyKind;
  readonly hash?: "sha256" | "sha384" | "sha512";
  /** The extended key usage of its certificate. */
  readonly usage?: string;
  /** Whether another certificate stands between the root and its own. */
  readonly intermediate?: boolean;
  /** The hash by which the token names the certificate. */
  readonly certificateHash?: "sha1" | "sha256";
}

export type MakeAuthority = (options?: AuthorityOptions) => Authority;

function makeAuthority(options: AuthorityOptions = {}, folders: string[]): Authority {
  const { keys = "P-256", usage = "critical,timeStamping", intermediate = false } = options;
  const folder = mkdtempSync(join(tmpdir(), "assent-tsa-"));
  folders.push(folder);
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  writeFileSync(file("openssl.cnf"), config(options));
  const makeKey = (name: string) =>
    keys === "RSA"
      ? openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", `${name}.key`)
      : openssl("genpkey", "-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:${keys}`, "-out", `${name}.key`);
  const issue = (name: string, issuer: string, extensions: string) => {
    makeKey(name);
    writeFileSync(file(`${name}.ext`), extensions);
    openssl(
      "req",
      "-new",
      "-config",
      "openssl.cnf",
      "-key",
      `${name}.key`,
      "-subj",
      `/O=Test/CN=${name}`,
      "-out",
      "csr",
    );
    const by = issuer === name ? ["-signkey", `${name}.key`] : ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`];
    openssl("x509", "-req", "-in", "csr", ...by, "-days", "30", "-extfile", `${name}.ext`, "-out", `${name}.pem`);
  };
  const authority = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
  issue("root", "root", authority);
  if (intermediate) issue("middle", "root", authority);
  const own = `basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=${usage}\n`;
  issue("tsa", intermediate ? "middle" : "root", own);
  writeFileSync(file("chain.pem"), intermediate ? readFileSync(file("middle.pem")) : "");
  const answer = (data: string): Buffer => {
    writeFileSync(file("data"), data);
    openssl("ts", "-query", "-data", "data", "-sha256", "-cert", "-out", "query.tsq");
    return reply(readFileSync(file("query.tsq")));
  };
  const reply = (query: Buffer): Buffer => {
    writeFileSync(file("query.tsq"), query);
    const chain = intermediate ? ["-chain", "chain.pem"] : [];
    const signer = ["-signer", "tsa.pem", "-inkey", "tsa.key", ...chain];
    openssl("ts", "-reply", "-config", "openssl.cnf", "-queryfile", "query.tsq", ...signer, "-out", "answer.tsr");
    return readFileSync(file("answer.tsr"));
  };
  return {
    root: readFileSync(file("root.pem"), "utf8"),
    answer,
    signAgain: (token) => {
      writeFileSync(file("token.der"), token);
      openssl("cms", "-verify", "-noverify", "-inform", "DER", "-in", "token.der", "-binary", "-out", "info");
      const signer = ["-signer", "tsa.pem", "-inkey", "tsa.key", "-md", "sha256", "-cades"];
      const type = ["-econtent_type", "1.2.840.113549.1.9.16.1.4", "-nodetach", "-nosmimecap"];
      openssl("cms", "-sign", "-binary", "-in", "info", ...type, ...signer, "-outform", "DER", "-out", "token.der");
      return readFileSync(file("token.der"));
    },
    reply,
    stamp: (data) => {
      answer(data);
      openssl("ts", "-reply", "-config", "openssl.cnf", "-in", "answer.tsr", "-token_out", "-out", "token.der");
      return readFileSync(file("token.der"));
    },
  };
}

const config = ({ hash = "sha256", certificateHash = "sha256" }: AuthorityOptions): string => `
[req]
distinguished_name = name
[name]
[tsa]
default_tsa = authority
[authority]
serial = ./serial
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
signer_digest = ${hash}
accuracy = secs:1
ordering = yes
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = ${certificateHash}
`;
