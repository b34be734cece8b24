import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Tenant } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { hashKeyColumn, type SealedColumn } from "#platform/master-keys/reseal.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import type { RecordName, SeedVault } from "#platform/vault/seed-vault.ts";
import { fileKeyColumn } from "../files/agreement-files.ts";
import { senderKeyColumn } from "../sender-domains/store.ts";
import { uploadKeyColumn } from "../uploads/upload-store.ts";
import type { Agreement, Recipient } from "./agreement.ts";
import { type Parameter, recordColumns, type Write } from "./agreement-columns.ts";
import { emailKey } from "./agreement-records.ts";
import type { FindSubject } from "./audit-commitment.ts";

/** The key that seals everything that the trail of an agreement says about one person. */
export interface SubjectKey {
  /** UUID; the agreement's own for what is about nobody in particular. */
  readonly id: string;
  /** What the person is found by, which does not tell who it is; null when not known. */
  readonly emailIndex: Buffer | null;
  readonly userIndex: Buffer | null;
  /** Wrapped; null when it was erased. */
  readonly seed: Buffer | null;
}

const columns = recordColumns<SubjectKey>({ id: "uuid", emailIndex: "bytea", userIndex: "bytea", seed: "bytea" });

export async function listSubjectKeys({ client, orgId }: Tenant, agreementId: string): Promise<SubjectKey[]> {
  const { rows } = await client.query<{ key: Record<string, unknown> }>({
    name: "sign-list-subject-keys",
    text: `select json_build_object(${columns.members("k")}) as key from sign.subject_key k
      where k.organization_id = $1 and k.agreement_id = $2`,
    values: [orgId, agreementId],
  });
  return rows.map(({ key }) => columns.decode(key));
}

/** What adds keys to those of an agreement. */
export function subjectKeyInsertion(orgId: OrgId, agreementId: string, keys: readonly SubjectKey[]): Write[] {
  if (keys.length === 0) return [];
  const rows = JSON.stringify(keys.map((key) => columns.encode(key)));
  const text = (parameter: Parameter) => `insert into sign.subject_key (organization_id, agreement_id, ${columns.names})
    select ${parameter(orgId)}::uuid, ${parameter(agreementId)}::uuid, ${columns.names}
    from json_to_recordset(${parameter(rows)}::json) as r(${columns.definitions})`;
  return [{ name: "seed", text }];
}

/** The keyed hash by which a person with this address is found; null without an address. */
export const emailIndex = (vault: SeedVault, orgId: OrgId, email: string): Buffer | null =>
  subjectIndex(vault, orgId, "email", emailKey(email));

/** The same for a reference (user), or the id of a client. */
export const subjectIndex = (vault: SeedVault, orgId: OrgId, kind: string, text: string): Buffer | null =>
  text === "" ? null : vault.subjectIndex(orgId, `${kind}:${text}`);

/** Names a key for its vault. */
export const keyName = (organizationId: string, agreementId: string, subjectId: string): RecordName => ({
  organizationId,
  recordId: `${agreementId}/${subjectId}`,
});

/** The key itself. Throws when no master key has wrapped the seed. */
export const trailKey = (vault: SeedVault, name: RecordName, wrapped: Buffer): KeyObject =>
  keyOf(vault.unwrapSeed(name, wrapped));

/** Of seeds that are kept for other purposes as well, other keys would be derived. */
const keyOf = (seed: Buffer): KeyObject => createSecretKey(createHmac("sha256", seed).update("sign trail").digest());

interface Subjects {
  readonly find: FindSubject;
  keyOf(subjectId: string): KeyObject;
  /** Those that were found for the first time, to be stored. */
  readonly added: readonly SubjectKey[];
}

interface SubjectsOf {
  readonly vault: SeedVault;
  readonly newId: NewId;
  readonly orgId: OrgId;
  readonly agreement: Agreement;
  /** Of the agreement as it was as well, for those who are removed. */
  readonly recipients: readonly Recipient[];
  readonly known: readonly SubjectKey[];
}

/**
 * Whom the events of a change are about. A person has one key in an agreement, whatever part they have in it, and another
 * one once their address is another: whoever had the former is somebody else. For a person without an address or a user
 * reference it is the UUID of the recipient that tells.
 */
export function subjectsOf({ vault, newId, orgId, agreement, recipients, known }: SubjectsOf): Subjects {
  const keys = new Map<string, KeyObject>();
  const added: SubjectKey[] = [];
  const indexOf = (kind: string, text: string) => subjectIndex(vault, orgId, kind, text);
  const usable = () => [...known.filter(({ seed }) => seed !== null), ...added];
  const add = (person: Omit<SubjectKey, "seed">): string => {
    const seed = newSeed();
    keys.set(person.id, keyOf(seed));
    added.push({ ...person, seed: vault.wrapSeed(keyName(orgId, agreement.id, person.id), seed) });
    return person.id;
  };
  // An erased key stays erased; what comes later is sealed with a new one.
  const free = (id: string): string => (known.some((key) => key.id === id) ? newId() : id);
  const own = (): string => {
    const { id, email } = agreement.sender;
    if (usable().some((key) => key.id === agreement.id)) return agreement.id;
    const indexes = { emailIndex: emailIndex(vault, orgId, email), userIndex: indexOf("client", id) };
    return add({ id: free(agreement.id), ...indexes });
  };
  const person = (recipientGuid: string, said: string): string => {
    const { email = said, clientUserId = "" } = recipients.find(({ id }) => id === recipientGuid) ?? {};
    const indexes = { emailIndex: emailIndex(vault, orgId, email), userIndex: indexOf("user", clientUserId) };
    const isNameless = indexes.emailIndex === null && indexes.userIndex === null;
    const same = usable().find((key) =>
      isNameless
        ? key.id === recipientGuid
        : isSame(key.emailIndex, indexes.emailIndex) &&
          isSame(key.userIndex, indexes.userIndex) &&
          key.id !== agreement.id,
    );
    return same?.id ?? add({ id: isNameless ? free(recipientGuid) : newId(), ...indexes });
  };
  const found = new Map<string, string>();
  return {
    find: (recipientGuid = "", email = "") => {
      const id = found.get(recipientGuid) ?? (recipientGuid === "" ? own() : person(recipientGuid, email));
      found.set(recipientGuid, id);
      return id;
    },
    keyOf: (subjectId) => {
      const ready = keys.get(subjectId);
      if (ready !== undefined) return ready;
      const wrapped = known.find(({ id }) => id === subjectId)?.seed;
      if (!wrapped) throw new Error(`agreement ${agreement.id} has no key ${subjectId}`);
      const key = trailKey(vault, keyName(orgId, agreement.id, subjectId), wrapped);
      keys.set(subjectId, key);
      return key;
    },
    added,
  };
}

const isSame = (a: Buffer | null, b: Buffer | null): boolean => (a === null || b === null ? a === b : a.equals(b));

/** Everything that the service keeps sealed under its master key. */
export const sealedColumns = (masterKeys: KeyRing, vault: SeedVault): readonly SealedColumn[] => [
  hashKeyColumn("sign", masterKeys),
  {
    table: "sign.subject_key",
    column: "seed",
    key: { organization_id: "uuid", agreement_id: "uuid", id: "uuid" },
    select: 't.organization_id as "orgId", t.agreement_id as "agreementId", t.id',
    reseal: ({ orgId, agreementId, id }: { orgId: OrgId; agreementId: string; id: string }, wrapped) =>
      vault.rewrappedSeed(keyName(orgId, agreementId, id), wrapped),
  },
  fileKeyColumn(vault),
  senderKeyColumn(masterKeys),
  uploadKeyColumn(vault),
];
