import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { agreementEvent } from "#api/agreement-records.ts";
import { type ExportedAgreement, exportedAgreement } from "#api/exported.ts";
import type { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { AuditEventSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type ExportItem, exportPage, type FileToExport, jsonFile, schemaFile } from "#platform/export-page.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, JsonObject, Recipient, StoredFile } from "../agreement/agreement.ts";
import { emailKey } from "../agreement/agreement-records.ts";
import { loadAgreement, loadDeleted } from "../agreement/agreement-store.ts";
import type { AuditEvent } from "../agreement/audit-chain.ts";
import { publicDetails, shownBy } from "../agreement/audit-commitment.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { auditEventMessage } from "../agreement/messages.ts";
import { emailIndex, listSubjectKeys, type SubjectKey, subjectIndex } from "../agreement/subject-keys.ts";
import type { SignDeps } from "../deps.ts";
import { findBulk, isCopyFor } from "../erasure/bulk-erasure.ts";
import { replaceIn } from "../erasure/erased-values.ts";
import { findAgreements } from "../erasure/erasure-store.ts";
import { type Person, recipientsOf } from "../erasure/plan-erasure.ts";
import { imageOf } from "../files/signature-images.ts";
import { listAttachments } from "../signing/attachments.ts";
import { findProgress, withProgress } from "../signing/progress.ts";

type ExportDeps = Pick<SignDeps, "pool" | "eraserPool" | "vault" | "files">;

/** Agreements come first, in the order of their ids; what is in bulk lists is the last item. */
const bulkId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const nobody = "00000000-0000-0000-0000-000000000000";

export const exportPerson = (deps: ExportDeps): Pick<ServiceImpl<typeof PersonalDataService>, "exportPerson"> => ({
  exportPerson(request, context) {
    const { orgId } = requireCaller(context);
    const [email, userRef] = [emailKey((request.person?.email ?? "").trim()), request.person?.userRef ?? ""];
    const indexes = {
      emailIndex: emailIndex(deps.vault, orgId, email),
      userIndex: subjectIndex(deps.vault, orgId, "user", userRef),
    };
    const person: Person = { email, userRef, ...indexes };
    return exportPage(request.cursor, (after) => nextItem(deps, orgId, person, after));
  },
});

async function nextItem(
  deps: ExportDeps,
  orgId: OrgId,
  person: Person,
  after: string,
): Promise<ExportItem | undefined> {
  if (after === bulkId) return undefined;
  let at: string | undefined = after;
  while (at !== undefined) {
    const from: string = at;
    const window = await withOrg(deps.eraserPool, orgId, (tenant) =>
      findAgreements(tenant, { erasureId: nobody, person }, from),
    );
    for (const id of window.found) {
      const item = await withOrg(deps.pool, orgId, (tenant) => itemOf(deps, tenant, person, id));
      if (item !== undefined) return item;
    }
    at = window.next;
  }
  return { id: bulkId, files: await withOrg(deps.eraserPool, orgId, (tenant) => exportBulk(tenant, person)) };
}

async function itemOf(
  { pool, vault, files }: ExportDeps,
  tenant: Tenant,
  person: Person,
  id: string,
): Promise<ExportItem | undefined> {
  const stands = (await loadAgreement(tenant, id)) ?? (await loadDeleted(tenant, id));
  if (stands === undefined) return undefined;
  const { orgId } = tenant;
  // With what was saved by those who have not finished.
  const saved = await findProgress(files, tenant, id);
  const recipients = stands.recipients.map((one) => withProgress(one, saved.get(one.id)));
  const agreement = saved.size === 0 ? stands : { ...stands, recipients };
  const keys = await listSubjectKeys(tenant, id);
  const events = ownEvents(await listAuditEvents(tenant, vault, id), agreement, keys, person);
  // A longer address may have had it found.
  if (!events.isKnown && replaceIn(agreement, person.email) === agreement) return undefined;
  const stored = (await hasFiles()) ? await filesOf(tenant, agreement, person) : [];
  const title = agreementRecord(agreement, person, [], []).subject || "Agreement";
  return {
    id,
    files: [
      schemaFile("agreement", "An agreement", exportedAgreement.schemas.answer),
      jsonFile(`data/agreements/${id}.json`, title, () => agreementRecord(agreement, person, stored, events.own)),
      ...stored.map(({ path, name, file }): FileToExport => {
        const read = async () =>
          file instanceof Uint8Array ? file : withOrg(pool, orgId, (reading) => files.read(reading, id, file));
        return { path, title: name, read };
      }),
      jsonFile(`proofs/agreements/${id}/trail.json`, `Audit trail of: ${title}`, () => ({
        agreementId: id,
        events: events.all.map((event) =>
          agreementEvent.answer(create(AuditEventSchema, auditEventMessage(id, event))),
        ),
      })),
    ],
  };

  async function hasFiles(): Promise<boolean> {
    try {
      await files.findKey(tenant, id);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === "DOCUMENT_ERASED") return false;
      throw error;
    }
  }
}

/** What the person was given or has given: documents once it was their turn, their attachments and drawn signatures. */
async function filesOf(tenant: Tenant, agreement: Agreement, person: Person): Promise<FileOfPerson[]> {
  const { id, documents, certificate, sender } = agreement;
  const recipients = recipientsOf(agreement, person);
  const has = recipients.some(({ sentAt }) => sentAt !== null) || isSame(sender.email, person);
  const attachments = await listAttachments(tenant, id);
  const own = attachments.filter((one) => recipients.some((recipient) => recipient.id === one.recipientId));
  const at = (name: string) => `documents/${id}/${name}`;
  const hex = ({ sha256 }: Pick<StoredFile, "sha256">) => sha256.toString("hex");
  const given = documents.map((document, index): FileOfPerson => {
    const { sealedId, sealedSha256, name } = document;
    const isSealed = sealedId !== null && sealedSha256 !== null;
    const file = isSealed ? { id: sealedId, sha256: sealedSha256 } : { id: document.id, sha256: document.sha256 };
    return {
      path: at(`${index + 1}${isSealed ? "-sealed" : ""}.pdf`),
      ...{ what: isSealed ? "sealed document" : "document", name, sha256: hex(file), file },
    };
  });
  const proof = certificate === null ? [] : [certificate];
  const adopted = recipients.flatMap(({ signature, initials }) => [signature, initials]);
  const drawn = adopted.flatMap(imageOf);
  const unfinished = adopted.flatMap((one) => (one?.drawnPng ? [Buffer.from(one.drawnPng, "base64")] : []));
  return [
    ...(has ? given : []),
    ...(has ? proof : []).map(
      (file): FileOfPerson => ({
        path: at("certificate.pdf"),
        ...{ what: "certificate", name: "Certificate of completion", sha256: hex(file), file },
      }),
    ),
    ...own.map(
      (file): FileOfPerson => ({
        path: at(`attachment-${file.id}.${extensions[file.contentType] ?? "bin"}`),
        ...{ what: "attachment", name: file.fileName, sha256: hex(file), file },
      }),
    ),
    ...drawn.map(
      (file): FileOfPerson => ({
        path: at(`signature-${file.id}.png`),
        ...{ what: "signature", name: "Drawn signature", sha256: hex(file), file },
      }),
    ),
    ...unfinished.map((file, index): FileOfPerson => {
      const sha256 = hex({ sha256: sha256Of(file) });
      const path = at(`signature-unfinished-${index + 1}.png`);
      return { path, what: "signature", name: "Signature before finishing", sha256, file };
    }),
  ];
}

const isSame = (email: string, person: Person): boolean => person.email !== "" && emailKey(email) === person.email;

export const extensions: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
};

/** The copies of lists of bulk sending that are for the person, without what is for others in them. */
async function exportBulk(tenant: Tenant, person: Person): Promise<FileToExport[]> {
  const { orgId, client } = tenant;
  const found = await findBulk(tenant, person, "00000000-0000-0000-0000-000000000000");
  const ids = found.filter(({ kind }) => kind === "BULK_LIST").map(({ id }) => id);
  const { rows } = await client.query<{ id: string; name: string; copies: JsonObject[] }>(
    "select id, name, copies from sign.bulk_list where organization_id = $1 and id = any($2) order by id",
    [orgId, ids],
  );
  return rows.flatMap(({ id, name, copies }) => {
    const clean = withoutNames(copies.flatMap(copiedRecipients), person);
    const own = copies
      .filter((copy) => isCopyFor(copy, person))
      .map((copy) => clean({ ...copy, recipients: copiedRecipients(copy).filter((one) => isPerson(one, person)) }));
    if (own.length === 0) return [];
    return jsonFile(`data/bulk-lists/${id}.json`, `Bulk list: ${clean(name)}`, () => ({
      ...{ listId: id, name: clean(name), copies: own },
    }));
  });
}

const copiedRecipients = ({ recipients = [] }: JsonObject): Partial<Party>[] => recipients as Partial<Party>[];

interface FileOfPerson {
  readonly path: string;
  readonly what: ExportedAgreement["files"][number]["what"];
  readonly name: string;
  /** Hex. */
  readonly sha256: string;
  /** Where it is stored; the bytes themselves of what is saved before somebody finishes. */
  readonly file: StoredFile | Uint8Array;
}

/** What an agreement says of a person, without what it says of others. */
function agreementRecord(
  agreement: Agreement,
  person: Person,
  files: readonly FileOfPerson[],
  events: readonly AuditEvent[],
): ExportedAgreement {
  const { id: agreementId, status, sender } = agreement;
  const mine = recipientsOf(agreement, person);
  const clean = withoutNames([{ email: sender.email }, ...agreement.recipients], person);
  const isMe = (email: string): boolean => person.email !== "" && emailKey(email) === person.email;
  const host = agreement.recipients.find(({ hostEmail }) => isMe(hostEmail));
  return {
    ...{ agreementId, status, subject: clean(agreement.emailSubject), message: clean(agreement.emailBlurb) },
    createdAt: agreement.createdAt.toISOString(),
    sentAt: iso(agreement.sentAt),
    completedAt: iso(agreement.completedAt),
    declinedAt: iso(agreement.declinedAt),
    voidedAt: iso(agreement.voidedAt),
    expiresAt: iso(agreement.expiresAt),
    sender: isMe(sender.email) ? { name: sender.name, email: sender.email } : null,
    host: host === undefined ? null : { name: host.hostName, email: host.hostEmail },
    recipients: mine.map((one) => recipientRecord(one, clean)),
    mentions: mentionsOf(agreement, person).map(({ where, text }) => ({ where, text: clean(text) })),
    files: files.map(({ path, what, name, sha256 }) => ({ path, what, name: clean(name), sha256 })),
    events: events.map((event) => ({
      sequence: event.sequence,
      occurredAt: event.occurredAt.toISOString(),
      action: event.action,
      source: event.actor.source,
      ip: event.actor.ip || null,
      userAgent: event.actor.userAgent || null,
      details: JSON.stringify(event.details ?? {}),
    })),
  };
}

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

const recipientRecord = (one: Recipient, clean: (text: string) => string): ExportedAgreement["recipients"][number] => ({
  ...{ recipientIdGuid: one.id, role: one.role, name: one.name, email: one.email, status: one.status },
  ...{ userRef: one.clientUserId || null, note: clean(one.note) || null, locale: one.locale || null },
  sentAt: iso(one.sentAt),
  deliveredAt: iso(one.deliveredAt),
  consentedAt: iso(one.consentedAt),
  completedAt: iso(one.completedAt),
  declinedAt: iso(one.declinedAt),
  declineReason: one.declineReason || null,
  deliveryFailedAt: iso(one.deliveryFailedAt),
  deliveryFailedReason: one.deliveryFailedReason || null,
  signature: one.signature?.typed || null,
  initials: one.initials?.typed || null,
  fields: one.tabs
    .filter(({ value }) => value !== "")
    .map(({ label, type, documentId, page, value, originalValue }) => ({
      ...{ label, type, documentId, page },
      // What the sender has filled in may name others.
      value: value === originalValue ? clean(value) : value,
    })),
});

/** Somebody who takes part, as far as texts may name them. */
type Party = Pick<Recipient, "email" | "name" | "hostEmail" | "hostName" | "clientUserId">;

const isPerson = ({ email = "", clientUserId }: Partial<Party>, person: Person): boolean =>
  (person.email !== "" && emailKey(email) === person.email) ||
  (person.userRef !== "" && clientUserId === person.userRef);

/** Takes the addresses and names of the others out of texts. */
function withoutNames(parties: readonly Partial<Party>[], person: Person): <T>(value: T) => T {
  const mine = parties.filter((one) => isPerson(one, person));
  const others = parties.filter((one) => !mine.includes(one));
  const emails = [...others.map(({ email }) => email), ...parties.map(({ hostEmail }) => hostEmail)];
  const names = [...others.map(({ name }) => name), ...parties.map(({ hostName }) => hostName)];
  const ownEmails = new Set([person.email, ...mine.map(({ email = "" }) => emailKey(email))]);
  const ownNames = new Set(mine.map(({ name = "" }) => name.toLowerCase()));
  const words = [
    ...emails.map((email = "") => emailKey(email)).filter((one) => one !== "" && !ownEmails.has(one)),
    ...names.map((name = "") => name.toLowerCase()).filter((name) => name.length > 2 && !ownNames.has(name)),
  ];
  // One name may begin another.
  const longestFirst = [...new Set(words)].sort((a, b) => b.length - a.length);
  return (value) => longestFirst.reduce((left, word) => replaceIn(left, word, "(someone else)"), value);
}

/** Texts that are nobody's in particular and name the address. */
function mentionsOf(agreement: Agreement, { email }: Person): { readonly where: string; readonly text: string }[] {
  const { name, description, voidedReason, transactionId, metadata, customFields } = agreement;
  const texts = [
    ...Object.entries({ name, description, voidedReason, transactionId }),
    ...customFields.map((field): [string, string] => ["customFields", `${field.name}: ${field.value}`]),
    ...Object.entries(metadata ?? {}).map(([key, value]): [string, string] => [
      "metadata",
      JSON.stringify({ [key]: value }),
    ]),
  ];
  return texts.flatMap(([where, text]) => (replaceIn(text, email) === text ? [] : [{ where, text }]));
}

/** A trail in which nothing is disclosed but what is about the person, and the events of it that are. */
function ownEvents(
  events: readonly AuditEvent[],
  agreement: Agreement,
  keys: readonly SubjectKey[],
  person: Person,
): { readonly all: readonly AuditEvent[]; readonly own: readonly AuditEvent[]; readonly isKnown: boolean } {
  const mine = recipientsOf(agreement, person);
  const isTheirs = ({ id, emailIndex, userIndex }: SubjectKey): boolean =>
    isSameIndex(emailIndex, person.emailIndex) ||
    isSameIndex(userIndex, person.userIndex) ||
    mine.some((one) => one.id === id);
  const theirs = new Set(keys.filter(isTheirs).map(({ id }) => id));
  const shown = events.map((event) => {
    const { committed, erased, actor, details } = event;
    if (erased !== undefined) return { event, isOwn: false };
    if (committed === undefined) {
      const isOwn = mine.some(({ id }) => id === actor.id);
      return { event: isOwn ? event : { ...event, actor: nobodyOf(event), details: publicDetails(details) }, isOwn };
    }
    const disclosed = new Map([...committed.disclosed].filter(([subject]) => theirs.has(subject)));
    const part = { ...committed, disclosed };
    const id = actor.source === "signer" ? actor.id : "";
    const isOwn = [...disclosed.values()].some((list) => typeof list !== "string");
    return { event: { ...event, ...shownBy({ source: actor.source, id }, part), committed: part }, isOwn };
  });
  const own = shown.filter(({ isOwn }) => isOwn).map(({ event }) => event);
  return { all: shown.map(({ event }) => event), own, isKnown: theirs.size + mine.length + own.length > 0 };
}

const nobodyOf = ({ actor: { source } }: AuditEvent) => ({
  ...{ source, id: "", name: "", email: "", ip: "", userAgent: "" },
});

const isSameIndex = (a: Buffer | null, b: Buffer | null): boolean => a !== null && b !== null && a.equals(b);
