import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { KeyRing } from "#platform/secrets.ts";
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
  readonly masterKeys: KeyRing;
  /** What people are found by; see createSubjectVault. */
  readonly hashKey: () => Buffer;
  readonly issuer: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createEvidenceParts({ masterKeys, hashKey, issuer, ...deps }: EvidencePartsOptions): EvidenceParts {
  const keysFor = (purpose: KeyPurpose) =>
    createSigningKeys({ ...deps, purpose, kek: signingKeyKek(masterKeys, purpose) });
  const receiptKeys = keysFor("receipt");
  return {
    vault: createSubjectVault(masterKeys, hashKey),
    leafSigner: createLeafSigner({ keys: receiptKeys }),
    renderKeys: keysFor("render"),
    receiptKeys,
    logKeys: keysFor("log"),
    issuer,
  };
}
