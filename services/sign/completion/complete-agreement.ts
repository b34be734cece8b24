import type { Client } from "@connectrpc/connect";
import type { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { callerHeaders } from "#platform/caller.ts";
import { withOrgSnapshot } from "#platform/db/pool.ts";
import type { Logger } from "#platform/logger.ts";
import { step, type Tracer } from "#platform/telemetry.ts";
import type { Agreement, AgreementDocument, SealLevel, StoredFile } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import { type CommittedEntry, chain } from "../agreement/audit-chain.ts";
import { commit } from "../agreement/audit-commitment.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import type { DecisionContext } from "../agreement/change.ts";
import {
  type CallerContext,
  type ChangeDeps,
  changeAgreement,
  type NewBytes,
  type Within,
} from "../agreement/change-agreement.ts";
import { readBranded } from "../brands/brand-store.ts";
import { type PrintedAgreement, printCertificate } from "../certificate/print-certificate.ts";
import { withImages } from "../files/signature-images.ts";
import type { Intake } from "../intake/intake.ts";
import type { OrganizationReader } from "../organization-reader.ts";
import type { Sealer } from "../seal/sealer.ts";
import { completeAgreement as decideCompletion, lowestLevel, type SealedDocument } from "../signing/finish.ts";
import type { Witness } from "../witness/witness.ts";
import { marksOf } from "./marks-of.ts";

export interface CompletionDeps extends ChangeDeps {
  readonly intake: Pick<Intake, "prepareSeal">;
  readonly renderer: Client<typeof RendererService>;
  readonly organizations: Pick<OrganizationReader, "of" | "sender">;
  readonly sealer: Sealer;
  readonly witness: Pick<Witness, "confirm">;
  readonly logger: Logger;
  readonly tracer?: Tracer | undefined;
}

/**
 * Fills in and seals the documents, renders and seals the certificate, then completes the agreement in one
 * transaction together with `within`. Nothing is stored before that transaction, so the work can start over
 * after any interruption. Returns false when the agreement is no longer waiting for completion.
 */
export async function completeAgreement(
  deps: CompletionDeps,
  caller: CallerContext,
  agreementId: string,
  within: Within,
  signal: AbortSignal,
): Promise<boolean> {
  const read = await readAgreement(deps, caller, agreementId);
  if (read === undefined) return false;
  const files: SealedFiles = { documents: new Map(), bytes: new Map() };
  const drawn = await withImages(read.agreement, (image) => readFile(deps, caller, agreementId, image));
  for (const document of drawn.documents) {
    await sealDocument(deps, caller, files, drawn, document, signal);
  }
  let wanted = levelOf(files);
  // Events written meanwhile, such as a mail delivery, belong on the certificate, so read the trail again.
  for (let attempt = 1, next: Read | undefined = read; next !== undefined; attempt += 1) {
    const reading = { ...next, wanted };
    const certified = await step(deps.tracer, "certificate", { "assent.attempt": attempt }, () =>
      certify(deps, caller, files, reading, signal),
    );
    wanted = certified.file.level;
    signal.throwIfAborted();
    if (await write(deps, caller, files, next, certified, within)) return true;
    if (attempt >= maxCertificates) throw new Error("the agreement is changed again and again while it is completed");
    next = await readAgreement(deps, caller, agreementId);
  }
  return false;
}

const maxCertificates = 5;

type Read = Pick<PrintedAgreement, "agreement" | "events" | "branded">;

/** Undefined when the agreement is not waiting for completion. */
const readAgreement = (
  { pool, vault }: CompletionDeps,
  { orgId }: CallerContext,
  id: string,
): Promise<Read | undefined> =>
  withOrgSnapshot(pool, orgId, async (tenant) => {
    const agreement = await loadAgreement(tenant, id);
    if (agreement?.status !== "completing") return undefined;
    const branded = await readBranded(tenant, agreement.brandId ?? null);
    return { agreement, events: await listAuditEvents(tenant, vault, id), branded };
  });

/** The files sealed so far. */
interface SealedFiles {
  /** By the UUID of the document. */
  readonly documents: Map<string, SealedDocument>;
  /** By the UUID of the sealed file. */
  readonly bytes: Map<string, Uint8Array>;
}

async function sealDocument(
  deps: CompletionDeps,
  caller: CallerContext,
  files: SealedFiles,
  agreement: Agreement,
  { id, documentId, sha256, isSigned }: AgreementDocument,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const original = await readFile(deps, caller, agreement.id, { id, sha256 });
  const { file, bytes } = await sealFile(deps, agreement, original, signal, {
    isSigned,
    marks: marksOf(agreement, documentId),
    wanted: levelOf(files),
  });
  files.documents.set(id, file);
  files.bytes.set(file.id, bytes);
}

const readFile = (
  { pool, files }: CompletionDeps,
  { orgId }: CallerContext,
  agreementId: string,
  file: StoredFile,
): Promise<Buffer> => withOrgSnapshot(pool, orgId, (tenant) => files.read(tenant, agreementId, file));

type Filling = Pick<Parameters<Intake["prepareSeal"]>[0], "isSigned" | "isCertificate" | "marks"> & {
  readonly wanted: SealLevel;
};

const certificateFilling = { isSigned: false, isCertificate: true, marks: [] } as const;

/**
 * The seal level to request for the next file. After the timestamp authority has failed once it is not asked
 * again for this agreement: each try may take seconds, and the agreement gets the lowest level of its files
 * anyway.
 */
const levelOf = ({ documents }: SealedFiles): SealLevel =>
  lowestLevel([...documents.values()].map(({ level }) => level));

interface Sealed {
  readonly file: SealedDocument;
  readonly bytes: Uint8Array;
}

const sealFile = (deps: CompletionDeps, ...file: FileToSeal): Promise<Sealed> =>
  step(deps.tracer, "seal", {}, async (span) => {
    const sealed = await prepareAndSeal(deps, ...file);
    span.note?.({ "assent.seal_level": sealed.file.level, "assent.bytes": sealed.bytes.length });
    return sealed;
  });

type FileToSeal = [agreement: Agreement, original: Uint8Array, signal: AbortSignal, filling: Filling];

async function prepareAndSeal(
  { intake, witness, clock, newId, ...deps }: CompletionDeps,
  ...[{ id }, original, signal, { wanted, ...filling }]: FileToSeal
): Promise<Sealed> {
  const sealer = deps.sealer.now();
  const statement = sealer.statement(id, clock.now());
  const prepared = await intake.prepareSeal({ bytes: original, statement, ...filling });
  const { bytes } = prepared;
  signal.throwIfAborted();
  const { marks, isCertificate = false } = filling;
  await witness.confirm({ agreementId: id, shown: original, sealed: bytes, marks, isCertificate });
  signal.throwIfAborted();
  const level = await sealer.seal(prepared, wanted, signal);
  return { file: { id: newId(), sha256: sha256Of(bytes), level }, bytes };
}

/** The time of completion, and the certificate that states it. */
interface Certified extends Sealed {
  readonly now: Date;
  /** What the trail gets, as its printed hash says. */
  readonly audit: readonly CommittedEntry[];
}

/** Renders the certificate of the agreement as the following transaction will store it. */
async function certify(
  deps: CompletionDeps,
  caller: CallerContext,
  files: SealedFiles,
  { agreement, events, branded, wanted }: Read & Pick<Filling, "wanted">,
  signal: AbortSignal,
): Promise<Certified> {
  const now = laterOf(deps.clock.now(), agreement.statusChangedAt);
  const change = decideCompletion(agreement, { ...files, certificate: undefined }, contextOf(deps, now));
  const head = {
    agreementId: agreement.id,
    head: agreement.audit,
    occurredAt: now,
    agreementStatus: "completed" as const,
  };
  // Of documents alone: nothing in it is about a person.
  const audit = change.audit.map((entry) => ({ ...entry, committed: commit(entry, noSubject) }));
  const trail = chain(audit, head);
  const { name: organizationName } = await deps.organizations.of(caller.orgId);
  const sender = await deps.organizations.sender(caller.orgId, agreement.sender.id);
  signal.throwIfAborted();
  const printed = {
    agreement: { ...change.agreement, audit: trail.head },
    events: [...events, ...trail.events],
    organizationName,
    sender,
    branded,
    now,
  };
  const pdf = await printCertificate(deps.renderer, printed, callerHeaders({ ...caller, clientId: "sign" }));
  return { now, audit, ...(await sealFile(deps, agreement, pdf, signal, { ...certificateFilling, wanted })) };
}

const noSubject = (): never => {
  throw new Error("a completion is about no one");
};

/** False when the agreement has changed since it was read. */
async function write(
  deps: CompletionDeps,
  caller: CallerContext,
  { documents, bytes }: SealedFiles,
  { agreement: { id, version } }: Read,
  { now, audit, file: certificate, bytes: certificateBytes }: Certified,
  within: Within,
): Promise<boolean> {
  const all: NewBytes = new Map([...bytes, [certificate.id, certificateBytes]]);
  // The stored time must equal the one printed on the certificate.
  const atThatTime = { ...deps, clock: { now: () => now } };
  try {
    await changeAgreement(
      ...[atThatTime, caller, { id, isTemplate: false }],
      (agreement) => {
        if (agreement.version !== version) throw new ChangedError();
        return { ...decideCompletion(agreement, { documents, certificate }, contextOf(deps, now)), audit };
      },
      ...[all, within],
    );
    return true;
  } catch (error) {
    if (error instanceof ChangedError) return false;
    throw error;
  }
}

class ChangedError extends Error {}

const contextOf = ({ newId }: CompletionDeps, now: Date): DecisionContext => ({
  now,
  newId,
  actor: { source: "system", id: "", name: "", email: "", ip: "", userAgent: "" },
});

const laterOf = (a: Date, b: Date): Date => (a > b ? a : b);
