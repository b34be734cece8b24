import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, type Transport } from "@connectrpc/connect";
import type { Express } from "express";
import { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { createHealthState, startAdminPort } from "#platform/admin-port.ts";
import { systemClock } from "#platform/clock.ts";
import { type Environment, readSettings } from "#platform/config.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { deadEventRoutes } from "#platform/events/dead-events.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { watchBus } from "#platform/gauges.ts";
import { newId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import { masterKeyRoutes } from "#platform/master-keys/routes.ts";
import { createMetrics } from "#platform/metrics.ts";
import { measureTransport, serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { type Runtime, rpcRoutesOf, type Service } from "#platform/service.ts";
import { tracingSettings } from "#platform/tracing/settings.ts";
import { startTracing } from "#platform/tracing/start-tracing.ts";
import { traceBus } from "#platform/tracing/trace-calls.ts";
import { createGateway } from "../gateway/app.ts";
import { configFromEnv as configOfGateway } from "../gateway/config.ts";
import { listenGateway } from "../gateway/listen.ts";
import type { ProviderSettings } from "../gateway/oidc/identity-provider.ts";
import { configFromEnv as authConfig } from "../services/auth/config.ts";
import { createAuthService } from "../services/auth/service.ts";
import { configFromEnv as clickConfig } from "../services/click/config.ts";
import { createClickService } from "../services/click/service.ts";
import { configFromEnv as convertConfig } from "../services/convert/config.ts";
import { maxMessageBytes as convertMessageBytes, createConvertService } from "../services/convert/service.ts";
import { configFromEnv as docgenConfig } from "../services/docgen/config.ts";
import { createDocgenService } from "../services/docgen/service.ts";
import { configFromEnv as signConfig } from "../services/sign/config.ts";
import type { CertificateFiles } from "../services/sign/seal/test-certificate.ts";
import { createSignService, maxMessageBytes as signMessageBytes } from "../services/sign/service.ts";
import { configFromEnv as templatesConfig } from "../services/templates/config.ts";
import { createTemplatesService } from "../services/templates/service.ts";
import { configFromEnv as webhooksConfig } from "../services/webhooks/config.ts";
import { createWebhooksService } from "../services/webhooks/service.ts";
import { reasonOf } from "./doctor/finding.ts";
import type { Secrets } from "./home.ts";
import { assumedSettings, decidedBySingleProcess, programEnvironment } from "./launch-settings.ts";
import { makeSeal } from "./programs.ts";

export interface SingleProcessOptions {
  /** A login that may assume the roles of all services; the schema is already migrated. */
  readonly databaseUrl: string;
  /** Empty for the in-memory bus. */
  readonly natsUrl: string;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly secrets: Secrets;
  /** What documents are sealed with; a new test certificate when absent. */
  readonly seal?: CertificateFiles;
  /** How mails are sent; without it none are. */
  readonly mail?: MailSetup;
  /** Where people may sign in beside with a password. */
  readonly oidc?: ProviderSettings | undefined;
  readonly logger: Logger;
  /** Settings of the services and the gateway, as if each were a process of its own; the defaults when absent. */
  readonly env?: Environment;
  /** Takes requests away from the gateway by answering true. */
  readonly handlePage?: (req: IncomingMessage, res: ServerResponse) => boolean;
}

export interface SingleProcess {
  readonly port: number;
  /** Of the public RPCs; undefined when GRPC_PORT asks for none. */
  readonly grpcPort: number | undefined;
  readonly adminUrl: string;
  readonly bus: EventBus;
  /** The auth service's admin RPCs, without the detour over the admin port. */
  readonly admin: Transport;
  /** The RPCs of the sign service, which people reach through the page that they sign on. */
  readonly sign: Transport;
  /** The RPCs of the webhooks service. */
  readonly webhooks: Transport;
  /** What is not ready and why, after it had a few seconds to become so. */
  findUnready(): Promise<readonly Unready[]>;
  /** From now on /healthz says that requests are answered. */
  open(): void;
  stop(): Promise<void>;
}

/** A service that cannot do its work, as with another master key than its database was made with. */
export interface Unready {
  readonly name: string;
  readonly reason: string;
}

/** All services and the gateway in this process: the same code as in a cluster, joined by in-memory transports. */
export async function startSingleProcess(options: SingleProcessOptions): Promise<SingleProcess> {
  const { secrets, logger, natsUrl, mail } = options;
  const metrics = createMetrics();
  const env = await environments(options);
  // All that is wrong with the settings is said before anything is opened.
  const configs = {
    ...{ auth: authConfig(env("auth")), templates: templatesConfig(env("templates")) },
    ...{ docgen: docgenConfig(env("docgen")), click: clickConfig(env("click")), sign: signConfig(env("sign")) },
    ...{ webhooks: webhooksConfig(env("webhooks")), gateway: configOfGateway(env("gateway")) },
    convert: convertConfig(env("convert")),
  };
  const tracing = await startTracing("single", readSettings(tracingSettings, env("gateway")), { logger, metrics });
  const { tracer } = tracing;
  const bus = traceBus(natsUrl === "" ? createMemoryBus() : createNatsBus({ url: natsUrl, logger }), tracer);
  if (natsUrl !== "") watchBus(bus, metrics);
  const runtime: Runtime = { logger, metrics, clock: systemClock, newId, bus, tracer };
  // As between processes: the texts of a template in many languages come in one answer.
  const connect = (service: Service, maxMessageBytes = 32 * 1024 * 1024): Transport =>
    measureTransport(
      createMemoryTransport(rpcRoutesOf(service), {
        maxMessageBytes,
        interceptors: serverInterceptors({ service: service.name, logger, metrics }),
      }),
      metrics,
    );

  // The services that auth calls need it themselves: it finds them with its first call.
  const later = (find: () => Service, maxMessageBytes?: number): Transport => {
    let transport: Transport | undefined;
    const found = (): Transport => {
      transport ??= connect(find(), maxMessageBytes);
      return transport;
    };
    return { unary: (...call) => found().unary(...call), stream: (...call) => found().stream(...call) };
  };

  const auth = await createAuthService(configs.auth, {
    ...{ runtime, mail },
    holders: {
      ...{ sign: later(() => sign, signMessageBytes), click: later(() => click) },
      ...{ webhooks: later(() => webhooks), docgen: later(() => docgen) },
      templates: later(() => templates),
    },
  });
  const templates = await createTemplatesService(configs.templates, {
    ...{ runtime, sign: later(() => sign, signMessageBytes) },
  });
  // The launcher says where LibreOffice is; without it Office files are refused, as in a cluster without this service.
  const convert = configs.convert.program ? createConvertService(configs.convert, { runtime }) : undefined;
  const docgen = await createDocgenService(configs.docgen, {
    ...{ runtime, auth: connect(auth), templates: connect(templates) },
    convert: convert && connect(convert, convertMessageBytes),
  });
  const click = await createClickService(configs.click, {
    ...{ runtime, templates: connect(templates), docgen: connect(docgen), mail },
  });
  const sign = await createSignService(configs.sign, {
    ...{ runtime, auth: connect(auth), docgen: connect(docgen), click: connect(click), mail },
    ...{ webhooks: later(() => webhooks), convert: convert && connect(convert, convertMessageBytes) },
  });
  const webhooks = createWebhooksService(configs.webhooks, {
    ...{ runtime, click: connect(click), sign: connect(sign, signMessageBytes) },
  });
  const services = [auth, templates, docgen, click, sign, webhooks];
  for (const worker of services.flatMap((service) => service.workers)) await worker.start();

  const gatewayConfig = { ...configs.gateway, oidc: options.oidc ?? configs.gateway.oidc };
  const health = createHealthState();
  const gateway = await createGateway(gatewayConfig, {
    runtime,
    auth: connect(auth),
    templates: connect(templates),
    click: connect(click),
    docgen: connect(docgen),
    sign: connect(sign, signMessageBytes),
    webhooks: connect(webhooks),
    findMissing: async () => (await unreadyOf(services)).map(({ name }) => name),
    checkOthers: async () => {
      if (!health.isServing()) throw new Error("the demo organization is not ready");
    },
  });
  const observed = { service: "admin", logger, metrics };
  const operatorRoutes = services.flatMap((service) => service.adminRoutes ?? []);
  operatorRoutes.push(deadEventRoutes(services.flatMap((service) => service.deadEvents ?? [])));
  operatorRoutes.push(masterKeyRoutes(services.flatMap((service) => service.resealer ?? [])));
  const adminPort = await startAdminPort({
    host: options.env?.ADMIN_HOST || "127.0.0.1",
    port: Number(options.env?.ADMIN_PORT || 0),
    token: secrets.adminToken,
    routes: services.map((service) => service.routes),
    operatorRoutes,
    observed,
    health,
    checkReady: gateway.checkReady,
    findMissing: gateway.findMissing,
    page: auth.adminPage,
  });
  const listening = await listenGateway({ ...gateway, app: withPages(gateway.app, options.handlePage) }, gatewayConfig);
  return {
    port: listening.port,
    grpcPort: listening.grpcPort,
    adminUrl: `http://127.0.0.1:${adminPort.port}`,
    bus,
    admin: createMemoryTransport(auth.adminRoutes ?? (() => undefined), { interceptors: serverInterceptors(observed) }),
    sign: connect(sign, signMessageBytes),
    webhooks: connect(webhooks),
    findUnready: async () => {
      for (let tries = 1; ; tries += 1) {
        const unready = await unreadyOf(services);
        if (unready.length === 0 || tries === readyTries) return unready;
        await delay(500);
      }
    },
    open: () => health.setServing(true),
    stop: async () => {
      health.setServing(false);
      for (const service of services) service.beginStop?.();
      await listening.stop();
      for (const service of [...services].reverse()) {
        for (const worker of service.workers) await worker.stop();
        await service.close();
      }
      await convert?.close();
      await adminPort.close();
      await bus.close();
      await tracing.stop();
    },
  };
}

const readyTries = 10;

async function unreadyOf(services: readonly Service[]): Promise<readonly Unready[]> {
  const states = services.map(({ name, checkReady }) =>
    checkReady().then(
      () => [],
      (error: unknown) => [{ name, reason: reasonOf(error) }],
    ),
  );
  return (await Promise.all(states)).flat();
}

/** What each service and the gateway would read if it were a process of its own. */
async function environments(options: SingleProcessOptions): Promise<(program: string) => Environment> {
  const { secrets, seal = await makeSeal(), env = {} } = options;
  const assumed = {
    ...assumedSettings(secrets, seal),
    // Started when they are needed: most copies in one process are short of memory, or need none of them.
    ...{ RENDERER_PROCESSES_KEPT: "0", INTAKE_PROCESSES_KEPT: "0" },
  };
  const decided = {
    ...Object.fromEntries(
      decidedBySingleProcess.map((name) => [name, name.endsWith("_TARGET") ? "in this process" : ""]),
    ),
    DATABASE_URL: options.databaseUrl,
    NATS_URL: options.natsUrl || "in this process",
    ...{ HOST: options.host, PORT: String(options.port) },
    // The mails of all services go where this says.
    ...{ SMTP_URL: "", MAIL_FROM: "" },
  };
  return (program) => programEnvironment(program, env, { assumed, decided });
}

/** The gateway's app behind pages that are no part of the product. */
function withPages(app: Express, handlePage: SingleProcessOptions["handlePage"]): Express {
  if (handlePage === undefined) return app;
  return new Proxy(app, {
    apply: (target, self, args: Parameters<Express>) =>
      handlePage(args[0], args[1]) ? undefined : Reflect.apply(target, self, args),
  });
}

export const adminClient = (transport: Transport) => createClient(AdminService, transport);
