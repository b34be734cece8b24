import { X509Certificate } from "node:crypto";
import {
  ConfigError,
  type Environment,
  type FreshText,
  freshText,
  type Setting,
  type SettingValues,
  secretSetting,
  stringSetting,
  urlSetting,
} from "#platform/config.ts";
import type { Egress } from "#platform/net/egress-proxy.ts";
import { createPemSigner } from "./seal/seal-signer.ts";

/** A key and its certificate chain, both PEM. */
export interface SealFiles {
  readonly key: FreshText;
  readonly certificates: FreshText;
  /** PEM certificates of former keys. */
  readonly former?: FreshText;
}

/** The timestamp authority for seals. */
export interface SealStamps {
  readonly url: string;
  /** PEM certificates that the authority's chain must end in; without any, only the token itself is verified. */
  readonly trusted: readonly string[];
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
}

/** One by one. */
const splitPem = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

function parseCertificates(text: string): string {
  try {
    const found = splitPem(text).map((pem) => new X509Certificate(pem));
    if (found.length > 0) return text;
  } catch {
    // Said below.
  }
  throw new Error("must be certificates in PEM");
}

const certificatesSetting = (doc: string): Setting<string> => ({
  ...stringSetting(doc, ""),
  parse: parseCertificates,
});

const tsaSetting: Setting<string> = {
  ...urlSetting(
    "A time-stamping authority (RFC 3161 over HTTP) that proves since when each seal exists. It learns a hash of each seal. If empty, or while it doesn't answer, seals have no time stamp (PAdES B-B instead of B-T).",
    "",
  ),
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!/^https?:$/.test(url?.protocol ?? "") || url?.username !== "" || url.password !== "") {
      throw new Error("must be an http or https URL without credentials");
    }
    return text;
  },
};

export const sealSettings = {
  SEAL_KEY: secretSetting(
    "The private key that seals completed documents, in PEM: P-256, or RSA of at least 3,072 bits. Without key and certificate nothing is completed, and the service does not become ready. Files (SEAL_KEY_FILE, SEAL_CERTIFICATES_FILE, SEAL_FORMER_CERTIFICATES_FILE) are read again with each seal.",
    "",
  ),
  SEAL_CERTIFICATES: certificatesSetting(
    "The certificate of that key and after it those up to its root, in PEM. With one that signs itself every seal says that it is a test.",
  ),
  SEAL_FORMER_CERTIFICATES: {
    ...certificatesSetting(
      "The certificates of earlier sealing keys, in PEM: each with those up to its root or without. Files that were sealed with them are recognised as sealed here, also where they have been changed since. The file of SEAL_FORMER_CERTIFICATES_FILE may come later.",
    ),
    fileMayBeMissing: true,
  },
  TSA_URL: tsaSetting,
  TSA_CERTIFICATES: certificatesSetting(
    "Certificates that the authority's chain must end in, in PEM. Empty means that a token is only checked against the certificate that comes with it.",
  ),
};

type Values = SettingValues<typeof sealSettings>;

/** Undefined when neither is set. Throws a ConfigError when they are unusable. */
export function sealFilesOf(values: Values, env: Environment): SealFiles | undefined {
  const { SEAL_KEY: key, SEAL_CERTIFICATES: certificates, SEAL_FORMER_CERTIFICATES: former } = values;
  if (key === "" && certificates === "") return undefined;
  try {
    createPemSigner({ key, certificates });
    return {
      key: freshText("SEAL_KEY", env, { parse: sealSettings.SEAL_KEY.parse, first: key }),
      certificates: freshText("SEAL_CERTIFICATES", env, { parse: parseCertificates, first: certificates }),
      former: freshText("SEAL_FORMER_CERTIFICATES", env, { parse: parseCertificates, first: former }),
    };
  } catch (error) {
    // OpenSSL's message does not reveal the key.
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`SEAL_KEY and SEAL_CERTIFICATES cannot be used together: ${reason}`]);
  }
}

/** Undefined when seals get no timestamps. */
export const sealStampsOf = (
  { TSA_URL: url, TSA_CERTIFICATES: certificates }: Values,
  egress: Egress | undefined,
): SealStamps | undefined => (url === "" ? undefined : { url, trusted: splitPem(certificates), egress });
