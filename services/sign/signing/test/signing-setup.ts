import { randomUUID } from "node:crypto";
import { type Client, createClient } from "@connectrpc/connect";
import { PDFDocument } from "pdf-lib";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { callerHeaders } from "#platform/caller.ts";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import type { Agreement, AgreementDocument } from "../../agreement/agreement.ts";
import { writeTogether } from "../../agreement/agreement-columns.ts";
import { loadAgreement } from "../../agreement/agreement-store.ts";
import { listAuditEvents } from "../../agreement/audit-store.ts";
import { addFile, filesOf } from "../../agreement/file-store.ts";
import { sampleDocument, sampleTime } from "../../agreement/test/lifecycle-samples.ts";
import { testSeals } from "../../agreement/test/trail-vault.ts";
import { insertionOf } from "../../agreement/write-change.ts";
import type { SignDeps } from "../../deps.ts";
import { voidAgreement } from "../../edit/agreements.ts";
import { correctAgreement } from "../../edit/correct-agreement.ts";
import {
  getCombinedDocument,
  getDocumentContent,
  proposeTabs,
  putDocuments,
  removeDocuments,
} from "../../edit/documents.ts";
import { agreementLocks } from "../../edit/locks.ts";
import { createIntake } from "../../intake/intake.ts";
import { getCertificate, listConsentTexts } from "../../list/evidence.ts";
import { unknownSender } from "../../organization-reader.ts";
import { createFakeClick } from "../../test/fake-click.ts";
import { attachments } from "../attachments.ts";
import { signingHandlers } from "../handlers.ts";
import { createLink, createRecipientView, createSenderView } from "../views.ts";

const interceptorsOf = () =>
  serverInterceptors({ service: "sign", logger: createLogger("sign", "silent"), metrics: createMetrics() });

/** The RPCs of documents, links and signing on a database of their own, at a time that stands still. */
export async function startSigning() {
  const database = await createTestDatabase();
  const { superuser } = database;
  const pool = createPool({ url: database.url, role: "assent_sign", max: 10, name: "sign" });
  let time = sampleTime.getTime();
  const clock = { now: () => new Date(time) };
  const logger = createLogger("sign", "silent");
  const rendering: Rendering = { before: () => undefined };
  const renderer = await createFakeRenderer(rendering);
  const intake = createIntake({ logger, renderer, clock, size: 1 });
  const sandboxes = new Set<string>();
  const correcting = new Set<string>();
  const deps: SignDeps = {
    ...{ pool, intake, renderer, clock, newId, logger },
    ...testSeals(pool),
    deletesNothing: false,
    abuseContact: "",
    ...{ senderKeys: [Buffer.alloc(32)], mailDomain: "", resolveTexts: async () => [] },
    evidenceLog: createFakeClick().client,
    organizations: {
      of: async (orgId) => ({ name: "Acme", sandbox: sandboxes.has(orgId), corrections: correcting.has(orgId) }),
      known: (orgId) => ({ name: "Acme", sandbox: sandboxes.has(orgId) }),
      sender: async () => unknownSender,
    },
    ...{
      sealReader: { read: async () => [] },
      publicSealReader: { read: async () => [] },
      verifierPool: pool,
      searcherPool: pool,
      eraserPool: pool,
    },
    witness: { confirm: async () => undefined },
    ...{ wakeRelay: () => undefined, wakeJobs: () => undefined },
  };
  const transport = createMemoryTransport(
    (router) => {
      router.service(SignService, {
        ...{ ...putDocuments(deps), ...removeDocuments(deps), ...getDocumentContent(deps), ...proposeTabs(deps) },
        ...{ ...getCombinedDocument(deps), ...getCertificate(deps) },
        ...attachments(deps),
        ...{ ...correctAgreement(deps), ...voidAgreement(deps), ...agreementLocks(deps) },
        ...listConsentTexts(deps),
        ...{ ...createRecipientView(deps), ...createSenderView(deps) },
      });
      router.service(SigningService, signingHandlers(deps));
    },
    { interceptors: interceptorsOf(), maxMessageBytes: 32 * 1024 * 1024, defaultTimeoutMs: 30_000 },
  );
  return {
    deps,
    rendering,
    superuser,
    databaseUrl: database.url,
    signing: createClient(SigningService, transport),
    advance: (ms: number) => {
      time += ms;
    },
    organization: (given: { sandbox?: boolean; corrections?: boolean } = {}) => {
      const organization = organizationOf(deps, createClient(SignService, transport));
      if (given.sandbox === true) sandboxes.add(organization.orgId);
      if (given.corrections === true) correcting.add(organization.orgId);
      return organization;
    },
    stop: async () => {
      await intake.close();
      await pool.end();
      await database.drop();
    },
  };
}

export type SigningSetup = Awaited<ReturnType<typeof startSigning>>;

/** One organization, with the client that the gateway has for it. */
function organizationOf(deps: SignDeps, client: Client<typeof SignService>) {
  const orgId = orgIdOf(randomUUID());
  const caller = { orgId, clientId: "client", requestId: "request-1", traceparent: "" };
  const { pool } = deps;
  return {
    orgId,
    client,
    headers: { headers: callerHeaders(caller) },
    /** Stores an agreement as it is, with bytes for those of its files whose hash they have. */
    insert: async (agreement: Agreement, files: readonly Uint8Array[] = []): Promise<Agreement> => {
      await withOrg(pool, orgId, ({ client: connection }) => writeTogether(connection, insertionOf(orgId, agreement)));
      for (const file of files) {
        const sha256 = sha256Of(file);
        for (const stored of filesOf(agreement).filter((one) => one.sha256.equals(sha256))) {
          await withOrg(pool, orgId, (tenant) => addFile(tenant, deps.files, agreement.id, stored, file));
        }
      }
      return agreement;
    },
    load: async (id: string): Promise<Agreement> => {
      const found = await withOrg(pool, orgId, (tenant) => loadAgreement(tenant, id));
      if (found === undefined) throw new Error(`there is no agreement ${id}`);
      return found;
    },
    trail: (id: string) => withOrg(pool, orgId, (tenant) => listAuditEvents(tenant, deps.vault, id)),
    link: (agreement: Agreement, recipientId: string, returnUrl = "https://app.example/back?state=1") =>
      createLink(deps, caller, {
        ...{ kind: "recipient", agreementId: agreement.id, returnUrl, frameAncestors: [] },
        recipientId: agreement.recipients.find((one) => one.recipientId === recipientId)?.id ?? null,
      }).then(({ token }) => token),
  };
}

export type TestOrganization = ReturnType<typeof organizationOf>;

function orgIdOf(id: string): OrgId {
  const orgId = parseOrgId(id);
  if (orgId === undefined) throw new TypeError(`${id} is not a UUID`);
  return orgId;
}

/** A PDF with so many pages; the width tells two apart. */
export async function pdfOf(pages: number, width = 600): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  for (let page = 0; page < pages; page += 1) pdf.addPage([width, 800]);
  return pdf.save();
}

export const pagesOf = async (pdf: Uint8Array): Promise<number[]> =>
  (await PDFDocument.load(pdf)).getPages().map((page) => page.getWidth());

/** The document of an agreement that has these bytes. */
export const documentWith = (file: Uint8Array, documentId = "1", given: Partial<AgreementDocument> = {}) => ({
  ...sampleDocument(documentId),
  id: randomUUID(),
  sha256: sha256Of(file),
  bytes: file.length,
  ...given,
});

/** What happens before anything is rendered; throws as a renderer does that cannot. */
interface Rendering {
  before: () => void;
}

/** Every certificate has two pages that are 333 points wide. */
async function createFakeRenderer(rendering: Rendering): Promise<Client<typeof RendererService>> {
  const pdf = await pdfOf(2, 333);
  const transport = createMemoryTransport(
    (router) =>
      router.service(RendererService, {
        renderHtml: () => {
          rendering.before();
          return { pdf, pages: 2, warnings: [] };
        },
      }),
    { interceptors: interceptorsOf(), maxMessageBytes: 32 * 1024 * 1024 },
  );
  return createClient(RendererService, transport);
}
