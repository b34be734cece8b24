import { createClient, type Transport } from "@connectrpc/connect";
import type { Express } from "express";
import type { Pool } from "pg";
import { defaultLimits } from "#api/organizations.ts";
import { type Change, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ErasureService } from "#gen/assent/auth/v1/erasures_pb.ts";
import { ExportService } from "#gen/assent/auth/v1/exports_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { FindMissing } from "#platform/admin-port.ts";
import { observePool } from "#platform/db/observe-pool.ts";
import { createPool } from "#platform/db/pool.ts";
import { watchCertificates } from "#platform/gauges.ts";
import { type Fetch, fetchThrough } from "#platform/net/egress-fetch.ts";
import type { Worker } from "#platform/periodic.ts";
import type { RpcServer } from "#platform/rpc/server.ts";
import { shareReads } from "#platform/rpc/shared-reads.ts";
import type { Runtime } from "#platform/service.ts";
import type { Tracer } from "#platform/telemetry.ts";
import { createAcceptCoalescer, traceBatches } from "./accept-coalescer.ts";
import { createAuthenticate } from "./auth/authenticate.ts";
import { createChangePoller } from "./auth/change-poller.ts";
import { createKeySet } from "./auth/key-set.ts";
import { createOrganizationLimits, type OrganizationLimits } from "./auth/organization-limits.ts";
import { createAuthenticateRenderToken } from "./auth/render-token.ts";
import { createRevocations, type Revocations } from "./auth/revocations.ts";
import { createTokenGuard } from "./auth/token-guard.ts";
import { createBatchBodies } from "./batch-bodies/batch-bodies.ts";
import { defaultFloodGuardRequests, type GatewayConfig } from "./config.ts";
import { defaultDashboardFolder, loadDashboard, serveDashboard } from "./dashboard/dashboard-page.ts";
import { createDocumentBodies } from "./document-bodies/document-bodies.ts";
import { defaultEmbedScriptFile, loadEmbedScript } from "./embed-script.ts";
import { createEvidenceKeys } from "./evidence-keys.ts";
import { listenGrpc } from "./grpc/listen-grpc.ts";
import { createHome, serveIcon } from "./home-page.ts";
import { type BodyBudget, createBodyBudget, documentBudgetLimits } from "./http/body-budget.ts";
import { createApp } from "./http/express-app.ts";
import { createRateLimit, createRequireActive } from "./http/rate-limit.ts";
import { createUploadTurns } from "./http/upload-turns.ts";
import { schemaCompiler } from "./http/validate.ts";
import { createFloodGuard } from "./limits/flood-guard.ts";
import { createLimiter, createLocalLimiter } from "./limits/limiter.ts";
import { createUseReporter } from "./limits/use-report.ts";
import { createWindowStore, createWindowSweeper } from "./limits/window-store.ts";
import { createSnsReader } from "./mail-reports/delivery-report.ts";
import { createIdentityProvider } from "./oidc/identity-provider.ts";
import { buildOpenApi } from "./openapi/build.ts";
import { createReference } from "./openapi/reference.ts";
import { createPageHosts } from "./page-hosts.ts";
import { createMissingParts, createReadinessCheck } from "./readiness.ts";
import { createBrandLooks } from "./render/brand-looks.ts";
import { allRoutes } from "./routes/index.ts";
import type { Services } from "./routes/services.ts";
import { createSessions, type Sessions } from "./sessions/authenticate-session.ts";
import { createLinkGuard, defaultSigningPageFolder, loadSigningPage } from "./signing/links.ts";
import { type StaticFile, staticFile } from "./static-file.ts";
import { defaultVerifierFolder, loadDocumentPage, loadVerifier } from "./verifier.ts";

export interface GatewayDeps {
  readonly runtime: Runtime;
  readonly auth: Transport;
  readonly templates: Transport;
  readonly click: Transport;
  readonly docgen: Transport;
  readonly sign: Transport;
  readonly webhooks: Transport;
  /** Throws while another part of this process that callers depend on is not ready. */
  readonly checkOthers?: () => Promise<void>;
  /** Names the services that are not ready. */
  readonly findMissing?: FindMissing;
  /** Requests to Amazon SNS; of the network when absent. */
  readonly fetch?: Fetch;
  /** The memory budget for large bodies; production's when absent. */
  readonly bodyBudget?: BodyBudget;
  /** The same for bodies that carry documents. */
  readonly documentBudget?: BodyBudget;
}

export interface Gateway {
  /** The public API as an Express app, not listening yet. */
  readonly app: Express;
  /** Started and stopped by listenGateway. */
  readonly workers: readonly Worker[];
  /** Serves the public RPCs if configured. Rejects when the port cannot be bound. */
  listenGrpc(): Promise<RpcServer | undefined>;
  /** Throws until the database and the auth service have been reached, for a minute at most. */
  checkReady(): Promise<void>;
  /** Names what is away of what requests need. */
  readonly findMissing: FindMissing;
  close(): Promise<void>;
}

const monotonic = (): number => performance.now();

/** Assembles the gateway. Throws when the embed script is required but was not built. */
export async function createGateway(config: GatewayConfig, deps: GatewayDeps): Promise<Gateway> {
  const { logger, metrics, clock, newId, tracer } = deps.runtime;
  const built = { required: config.requireEmbedScript ?? false, logger };
  const embedScript = loadEmbedScript(config.embedScriptFile ?? defaultEmbedScriptFile, built);
  const verifier = loadVerifier(config.verifierFolder ?? defaultVerifierFolder, built);
  const documentPage = loadDocumentPage(config.verifierFolder ?? defaultVerifierFolder, built);
  const signingPage = loadSigningPage(config.signingPageFolder ?? defaultSigningPageFolder, built);
  const dashboard = loadDashboard(config.dashboardFolder ?? defaultDashboardFolder, built);
  const pool = createWindowPool(config);
  observePool(pool, "gateway", metrics, tracer);
  const { cert = "", clientAuthorities = "" } = config.grpc?.tls ?? {};
  watchCertificates(metrics, { grpc: cert, grpc_authority: clientAuthorities });
  const windows = createWindowStore(pool);
  const limiter = createLimiter({ windows, monotonic });
  const tokens = createClient(TokenService, deps.auth);
  const keys = createKeySet({ tokens, monotonic, logger });
  const revocations = createRevocations(monotonic);
  const organizations = createOrganizationLimits({ tokens, defaults: defaultLimits, monotonic, logger });
  const checkReady = createReadinessCheck({ pool, revocations, checkOthers: deps.checkOthers, monotonic, logger });
  const findMissing = createMissingParts(pool, deps.findMissing);
  const logins = createClient(LoginService, deps.auth);
  const sessions = createSessions({ logins, revocations, clock, monotonic });
  const changes = createChangePoller({
    tokens,
    onChange: (change) => applyChange(change, { revocations, organizations, sessions }),
    onCaughtUp: revocations.markKnown,
    logger,
  });
  const { click, coalescer } = createClickClients(shareReads(deps.click), tracer);
  const sign = shareReads(deps.sign);
  const signClient = createClient(SignService, sign);
  const templates = createClient(TemplatesService, shareReads(deps.templates));
  const batchBodies = createBatchBodies();
  const documentBodies = createDocumentBodies();
  const reference = createReference(documentAt(config.publicUrl ?? ""));
  const use = createUseReporter({ tokens, newId, monotonic, logger });
  const admission = {
    noteUse: use.note,
    authenticate: createAuthenticate({ ...config, tokens, keys, revocations, clock }),
    requireActive: createRequireActive(organizations),
    ...createRateLimit({ limiter, localLimiter: createLocalLimiter(clock), organizations, metrics, logger }),
    floodGuard: createFloodGuard({
      requests: config.floodGuardRequests ?? defaultFloodGuardRequests,
      monotonic,
      now: () => clock.now().getTime(),
    }),
  };
  const app = createApp({
    routes: allRoutes,
    pages: [serveDashboard(dashboard), serveIcon],
    ...admission,
    authenticateRenderToken: createAuthenticateRenderToken(click),
    sessions,
    bodyBudget: deps.bodyBudget ?? createBodyBudget(),
    documentBudget: deps.documentBudget ?? createBodyBudget(documentBudgetLimits, createUploadTurns()),
    documentBodies,
    services: {
      tokens,
      logins,
      users: createClient(UserService, deps.auth),
      passkeys: createClient(PasskeyService, deps.auth),
      organizations: createClient(OrganizationService, deps.auth),
      erasures: createClient(ErasureService, deps.auth),
      exports: createClient(ExportService, deps.auth),
      templates,
      click,
      docgen: createClient(DocgenService, shareReads(deps.docgen)),
      sign: signClient,
      looks: createBrandLooks({ sign: signClient, templates, logger }),
      abuseContact: config.abuseContact ?? "",
      signing: createClient(SigningService, sign),
      webhooks: createClient(WebhooksService, shareReads(deps.webhooks)),
      receiverRules: {
        allowPrivate: config.allowPrivateReceivers ?? false,
        ports: [8443],
        named: config.privateReceivers,
      },
      coalescer,
      batchBodies,
      keys,
      evidenceKeys: createEvidenceKeys({ click, monotonic, logger }),
      tokenGuard: createTokenGuard({ limiter, logger }),
      clock,
      identityProvider: config.oidc && createIdentityProvider(config.oidc, { monotonic, logger }),
      embedScript,
      verifier,
      documentPage,
      signingPage,
      mailReportsSecret: config.mailReportsSecret ?? "",
      sns: createSnsReader({ fetch: deps.fetch ?? fetchThrough(config.egress), logger }),
      linkGuard: createLinkGuard({ limiter, logger }),
      checkReady,
      findMissing,
      home: createHome(),
      reference,
    },
    compileSchema: schemaCompiler(),
    pageHosts: createPageHosts({ sign: signClient, publicUrl: config.publicUrl ?? "", logger }),
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl ?? "",
    newId,
    logger,
    metrics,
    tracer,
  });
  const close = async (): Promise<void> => {
    await Promise.all([pool.end(), batchBodies.close(), documentBodies.close(), reference.close()]);
  };
  const grpc = config.grpc;
  const listenForCalls = async (): Promise<RpcServer | undefined> =>
    grpc && listenGrpc(grpc, { ...admission, runtime: deps.runtime, transports: deps });
  return {
    app,
    workers: [changes, createWindowSweeper({ windows, logger }), use.worker],
    checkReady,
    findMissing,
    listenGrpc: listenForCalls,
    close,
  };
}

const createWindowPool = ({ databaseUrl, databaseRole = "", poolSize = 4 }: GatewayConfig): Pool =>
  createPool({
    url: databaseUrl,
    role: databaseRole === "" ? "assent_gateway" : databaseRole.replace(/^-$/, ""),
    max: poolSize,
    name: "assent-gateway",
    // A database crash may lose the latest counts, but never a record.
    synchronousCommit: false,
    statementTimeoutMs: 2_000,
    lockTimeoutMs: 1_000,
  });

function createClickClients(transport: Transport, tracer?: Tracer): Pick<Services, "click" | "coalescer"> {
  const click = createClient(ClickService, transport);
  const coalescer = createAcceptCoalescer({
    send: traceBatches(tracer, async (items, headers, signal) => {
      return (await click.acceptBatch({ items }, { headers, signal })).results;
    }),
    monotonic,
    random: Math.random,
  });
  return { click, coalescer };
}

const documents = new Map<string, StaticFile>();

/** The description of the interface as JSON. All gateways of a process that have one address have the same. */
function documentAt(publicUrl: string): StaticFile {
  const document = documents.get(publicUrl) ?? staticFile(JSON.stringify(buildOpenApi(allRoutes, publicUrl)));
  documents.set(publicUrl, document);
  return document;
}

interface Changeable {
  readonly revocations: Revocations;
  readonly organizations: OrganizationLimits;
  readonly sessions: Pick<Sessions, "forget">;
}

function applyChange({ subject }: Change, { revocations, organizations, sessions }: Changeable): void {
  switch (subject.case) {
    case undefined:
      return;
    case "changedOrganizationId":
      organizations.forget(subject.value);
      return;
    case "changedSessionId":
    case "changedUserId":
      sessions.forget(subject.value);
      return;
    default:
      revocations.add(subject.value);
  }
}
