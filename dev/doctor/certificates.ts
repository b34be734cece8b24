import { createPrivateKey, type X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createPemSigner, readCertificates } from "../../services/sign/seal/seal-signer.ts";
import { type Finding, type Installation, notice, ok, reasonOf, wrong } from "./finding.ts";

const dayMs = 86_400_000;
/** A certificate of a public authority takes weeks. */
const noticeDays = 60;

/** The key that seals documents. */
export function checkSeal(installation: Installation, now: Date): Finding[] {
  if (!installation.has("sign")) return [];
  const key = installation.text("SEAL_KEY");
  const certificates = installation.text("SEAL_CERTIFICATES");
  if (key === undefined || certificates === undefined) {
    return [
      wrong(
        "seal",
        "SEAL_KEY and SEAL_CERTIFICATES are not set, so sign does not become ready",
        "docs/sealing.md explains how.",
      ),
    ];
  }
  try {
    createPemSigner({ key, certificates });
    const chain = readCertificates(certificates);
    return [...lifetime("seal", chain, now), ...sealChain(chain)];
  } catch (error) {
    return [
      wrong("seal", `the key cannot seal with this certificate: ${reasonOf(error)}`, "docs/sealing.md explains how."),
    ];
  }
}

/** The process's own certificate of the wire between processes. */
export function checkWire(installation: Installation, now: Date): Finding[] {
  const [cert, key, ca] = ["RPC_TLS_CERT_FILE", "RPC_TLS_KEY_FILE", "RPC_TLS_CA_FILE"].map(installation.text);
  if (cert === undefined || key === undefined || ca === undefined) {
    return [
      notice(
        "wire",
        "gRPC between processes is neither encrypted nor authenticated",
        "Set RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE (components/mtls), unless the network encrypts.",
      ),
    ];
  }
  try {
    const chain = readCertificates(readFileSync(cert, "utf8"));
    const [own] = chain;
    if (own === undefined) throw new Error("RPC_TLS_CERT_FILE has no certificate");
    if (!own.checkPrivateKey(createPrivateKey(readFileSync(key, "utf8")))) {
      throw new Error("the key does not belong to the certificate");
    }
    const trusted = readCertificates(readFileSync(ca, "utf8"));
    if (![...chain.slice(1), ...trusted].some((issuer) => own.checkIssued(issuer))) {
      throw new Error("the certificate was not issued by the authority in RPC_TLS_CA_FILE");
    }
    return lifetime("wire", chain, now);
  } catch (error) {
    return [wrong("wire", reasonOf(error), "Mount key, certificate and authority of this process.")];
  }
}

function lifetime(check: string, chain: readonly X509Certificate[], now: Date): Finding[] {
  const ends = Math.min(...chain.map(({ validToDate }) => validToDate.getTime()));
  const begins = Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime()));
  const left = Math.floor((ends - now.getTime()) / dayMs);
  const until = new Date(ends).toISOString().slice(0, 10);
  const todo = "Get a new one and restart the processes with it: docs/operations.md, Keys.";
  if (begins > now.getTime()) return [wrong(check, "the certificate is not valid yet", "Check the clock.")];
  if (ends <= now.getTime()) return [wrong(check, `the certificate has expired on ${until}`, todo)];
  if (left < noticeDays) return [notice(check, `the certificate expires in ${left} days, on ${until}`, todo)];
  return [ok(check, `the certificate is valid for ${left} days, until ${until}`)];
}

function sealChain(chain: readonly X509Certificate[]): Finding[] {
  const [own, ...above] = chain;
  if (own?.checkIssued(own)) {
    return [
      notice(
        "seal",
        "the certificate is self-signed, so every seal begins with TEST SEAL",
        "See docs/sealing.md for how to get one.",
      ),
    ];
  }
  const broken = chain.findIndex(
    (one, index) => index < above.length && !one.checkIssued(above[index] as X509Certificate),
  );
  if (broken < 0 && above.length > 0) return [];
  return [
    notice(
      "seal",
      "SEAL_CERTIFICATES does not lead from the certificate to a root, each issued by the next",
      "Add the certificates up to the root after it, in order: programs that verify seals need them.",
    ),
  ];
}
