import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { isStorable } from "#platform/json-object.ts";
import { openBox, sealBox } from "#platform/vault/sealed-box.ts";
import type { AdoptedSignature, Agreement, Recipient } from "../agreement/agreement.ts";
import { type Write, writeTogether } from "../agreement/agreement-columns.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { isActing } from "../agreement/recipients.ts";
import { isOpen } from "../agreement/transitions.ts";
import type { AgreementFiles } from "../files/agreement-files.ts";
import { keepValues, type TabValues } from "./tab-values.ts";

/**
 * What a recipient has entered before they finish. It is sealed under the key of the agreement's files, and deleted when
 * the recipient or the agreement is finished (progressRemoval).
 */
export interface Progress {
  /** By tabId. */
  readonly values: TabValues;
  readonly signature: AdoptedSignature | null;
  readonly initials: AdoptedSignature | null;
  /** The tabId of the field that the person was at; empty at the beginning. */
  readonly place: string;
}

/** A part of it to be saved; what is absent stays as it was saved before. */
export type SavedPart = Partial<Progress>;

const none: Progress = { values: new Map(), signature: null, initials: null, place: "" };

/** All values together: far more than can be finished with, and little enough to be written over and over. */
const maxCharacters = 200_000;

/**
 * Saves what a recipient has entered: the last write of each field wins. The agreement has to be locked, so that nothing is
 * written once the recipient has finished. Throws VALIDATION_FAILED for more than anybody can finish with.
 */
export async function saveProgress(
  files: AgreementFiles,
  tenant: Tenant,
  agreementId: string,
  recipient: Recipient,
  part: SavedPart,
  now: Date,
): Promise<void> {
  const known = await files.findKey(tenant, agreementId);
  const made = known === undefined ? files.newKey(tenant.orgId, agreementId) : undefined;
  if (made !== undefined) await writeTogether(tenant.client, [made.write]);
  const key = keyOf((known ?? (made as NonNullable<typeof made>).key).key);
  const { values = new Map(), signature, initials, place } = part;
  const boxes: [string, string][] = [];
  if (values.size > 0 || place !== undefined) {
    const before = (await readRows(tenant, agreementId, key, recipient.id)).get(recipient.id) ?? none;
    const fields = { values: mergedValues(recipient, before.values, values), place: place ?? before.place };
    boxes.push(["fields", JSON.stringify({ ...fields, values: [...fields.values] })]);
  }
  if (signature) boxes.push(["signature", JSON.stringify(signature)]);
  if (initials) boxes.push(["initials", JSON.stringify(initials)]);
  for (const [name, content] of boxes) {
    const sealed = sealBox(key, contextOf(agreementId, recipient.id, name), content);
    await tenant.client.query(upsertSql, [tenant.orgId, agreementId, recipient.id, name, sealed, now]);
  }
}

const upsertSql = `insert into sign.progress (organization_id, agreement_id, recipient_id, part, sealed, saved_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (organization_id, agreement_id, recipient_id, part) do update set sealed = $5, saved_at = $6`;

/** A field that the agreement does not have, or a text that cannot be stored, is left out: the others are kept. */
function mergedValues({ tabs }: Recipient, before: TabValues, given: TabValues): TabValues {
  const own = new Set(tabs.map(({ tabId }) => tabId));
  const fit = [...given].filter(([tabId, value]) => own.has(tabId) && isStorable(value));
  const merged = new Map([...before, ...fit]);
  const length = [...merged.values()].reduce((sum, value) => sum + value.length, 0);
  if (length > maxCharacters) {
    throw invalid(problem("values", "TOO_LONG", `must have at most ${maxCharacters} characters together`));
  }
  return merged;
}

/** What the recipients have saved, by their UUIDs. Nothing when the files of the agreement were erased. */
export async function findProgress(
  files: AgreementFiles,
  tenant: Tenant,
  agreementId: string,
): Promise<ReadonlyMap<string, Progress>> {
  try {
    const known = await files.findKey(tenant, agreementId);
    return known === undefined ? new Map() : await readRows(tenant, agreementId, keyOf(known.key));
  } catch (error) {
    if (error instanceof DomainError && error.code === "DOCUMENT_ERASED") return new Map();
    throw error;
  }
}

async function readRows(
  { orgId, client }: Tenant,
  agreementId: string,
  key: KeyObject,
  recipientId: string | null = null,
): Promise<Map<string, Progress>> {
  const { rows } = await client.query<{ recipientId: string; part: string; sealed: Buffer }>(
    `select recipient_id as "recipientId", part, sealed from sign.progress
     where organization_id = $1 and agreement_id = $2 and ($3::uuid is null or recipient_id = $3)`,
    [orgId, agreementId, recipientId],
  );
  const found = new Map<string, Progress>();
  for (const { recipientId: id, part, sealed } of rows) {
    const content = JSON.parse(openBox(key, contextOf(agreementId, id, part), sealed).toString("utf8"));
    const read = part === "fields" ? { ...content, values: new Map(content.values) } : { [part]: content };
    found.set(id, { ...(found.get(id) ?? none), ...read });
  }
  return found;
}

/** The recipient with what they have saved in place of what the sender has prepared. */
export const withProgress = (recipient: Recipient, progress: Progress | undefined): Recipient =>
  progress === undefined
    ? recipient
    : {
        ...recipient,
        tabs: keepValues(recipient.tabs, progress.values),
        signature: progress.signature ?? recipient.signature,
        initials: progress.initials ?? recipient.initials,
      };

/** Deletes what was saved by those who have finished with a change, or for whom the agreement has ended. */
export function progressRemoval(orgId: OrgId, before: Agreement, after: Agreement): Write[] {
  const acts = ({ recipients, ...agreement }: Agreement) =>
    isOpen(agreement) ? recipients.filter(isActing).map(({ id }) => id) : [];
  const still = new Set(acts(after));
  const finished = acts(before).filter((id) => !still.has(id));
  if (finished.length === 0) return [];
  return [
    {
      name: "progress",
      text: (parameter) => `delete from sign.progress where organization_id = ${parameter(orgId)}::uuid
        and agreement_id = ${parameter(after.id)}::uuid and recipient_id = any(${parameter(finished)}::uuid[])`,
    },
  ];
}

/** The same of those whom a correction removes, before they are gone themselves. */
export async function removeProgress(
  client: Tenant["client"],
  orgId: OrgId,
  before: Agreement,
  after: Agreement,
): Promise<void> {
  if (!isOpen(before)) return;
  const left = new Set(after.recipients.map(({ id }) => id));
  const gone = before.recipients.flatMap(({ id }) => (left.has(id) ? [] : [id]));
  if (gone.length === 0) return;
  await client.query(
    "delete from sign.progress where organization_id = $1 and agreement_id = $2 and recipient_id = any($3::uuid[])",
    [orgId, before.id, gone],
  );
}

/** Of a key that seals files as well, another one is derived. */
const keyOf = (key: Buffer): KeyObject => createSecretKey(createHmac("sha256", key).update("sign progress").digest());

const contextOf = (agreementId: string, recipientId: string, part: string): string =>
  `progress/${agreementId}/${recipientId}/${part}`;
