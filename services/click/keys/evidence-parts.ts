import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { createLeafSigner, type LeafSigner } from "../log/leaf-signer.ts";
import { createSubjectVault, type SubjectVault } from "../vault/subject-vault.ts";
import type { KeyPurpose } from "./key-schedule.ts";
import { signingKeyKek } from "./sealed-key.ts";
import { createSigningKeys, type ManagedSigningKeys } from "./signing-keys.ts";

/** What evidence is sealed, signed and named with. */
export interface EvidenceParts {
  readonly vault: SubjectVault;
  readonly leafSigner: LeafSigner;
  readonly renderKeys: ManagedSigningKeys;
  readonly receiptKeys: ManagedSigningKeys;
  readonly logKeys: ManagedSigningKeys;
  /** The public address of the installation, without a slash at its end. */
  readonly issuer: string;
}

export interface EvidencePartsOptions {
  readonly pool: pg.Pool;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  readonly issuer: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createEvidenceParts({ masterKey, issuer, ...deps }: EvidencePartsOptions): EvidenceParts {
  const keysFor = (purpose: KeyPurpose) =>
    createSigningKeys({ ...deps, purpose, kek: signingKeyKek(masterKey, purpose) });
  const receiptKeys = keysFor("receipt");
  return {
    vault: createSubjectVault(masterKey),
    leafSigner: createLeafSigner({ keys: receiptKeys }),
    renderKeys: keysFor("render"),
    receiptKeys,
    logKeys: keysFor("log"),
    issuer,
  };
}
