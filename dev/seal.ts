import { type CertificateFiles, makeTestCertificate } from "../services/sign/seal/test-certificate.ts";
import { type Home, readHomeFile, writeHomeFile } from "./home.ts";

/** A key with a certificate that it signs itself: every seal says that it is a test. */
export const makeSeal = (): Promise<CertificateFiles> =>
  // Clocks of those who verify may be a little behind.
  makeTestCertificate({ name: "Assent test certificate", now: new Date(Date.now() - 60_000), years: 10 });

const file = "seal.json";

/** The test certificate of the data folder, made on the first start. */
export async function openSeal(home: Home): Promise<CertificateFiles> {
  const existing = readHomeFile<CertificateFiles>(home, file);
  if (existing !== undefined) return existing;
  const made = await makeSeal();
  writeHomeFile(home, file, made);
  return made;
}
