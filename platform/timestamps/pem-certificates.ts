import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** The certificates of a PEM file, one by one; none when it cannot be read or holds anything that is no certificate. */
export function readCertificates(path: string): string[] {
  try {
    const found = readFileSync(path, "utf8").match(block) ?? [];
    return found.map((pem) => new X509Certificate(pem).toString());
  } catch {
    return [];
  }
}

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
