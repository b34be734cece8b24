import type { Settings } from "#platform/config.ts";
import { settings as gateway } from "../gateway/config.ts";
import { settings as auth } from "../services/auth/config.ts";
import { settings as click } from "../services/click/config.ts";
import { settings as convert } from "../services/convert/config.ts";
import { settings as docgen } from "../services/docgen/config.ts";
import { settings as sign } from "../services/sign/config.ts";
import { type CertificateFiles, makeTestCertificate } from "../services/sign/seal/test-certificate.ts";
import { settings as templates } from "../services/templates/config.ts";
import { settings as webhooks } from "../services/webhooks/config.ts";
import { type Home, readHomeFile, writeHomeFile } from "./home.ts";

/** Every process of an installation, by the name of its folder. */
export const settingsOfPrograms: ReadonlyArray<{
  readonly title: string;
  readonly entry: string;
  readonly settings: Settings;
}> = [
  { title: "gateway", entry: "gateway/main.ts", settings: gateway },
  { title: "auth", entry: "services/auth/main.ts", settings: auth },
  { title: "templates", entry: "services/templates/main.ts", settings: templates },
  { title: "docgen", entry: "services/docgen/main.ts", settings: docgen },
  { title: "click", entry: "services/click/main.ts", settings: click },
  { title: "sign", entry: "services/sign/main.ts", settings: sign },
  { title: "convert", entry: "services/convert/main.ts", settings: convert },
  { title: "webhooks", entry: "services/webhooks/main.ts", settings: webhooks },
];

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
