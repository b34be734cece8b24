import type { Environment } from "#platform/config.ts";
import type { Logger } from "#platform/logger.ts";
import { createDeliveriesPage } from "./deliveries-page.ts";
import { type Demo, prepareDemo, unreadyText } from "./demo.ts";
import { createDemoPage } from "./demo-page/demo-page.ts";
import { type Home, removeHomeFile, writeHomeFile } from "./home.ts";
import { hostOf, reachableHost, withAdminToken } from "./launch-settings.ts";
import { openLocalMail } from "./local-mail.ts";
import { openSeal } from "./seal.ts";
import { adminClient, startSingleProcess, type Unready } from "./single-process.ts";
import { createWebhookInbox } from "./webhook-inbox.ts";

export interface LocalCopyOptions {
  readonly home: Home;
  /** A login that may assume the roles of all services; the schema is already migrated. */
  readonly databaseUrl: string;
  /** Empty for the in-memory bus. */
  readonly natsUrl: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Settings of all parts. */
  readonly env: Environment;
  readonly logger: Logger;
}

export interface LocalCopy {
  readonly demo: Demo;
  readonly unready: readonly Unready[];
  /** False when mails go to a real server. */
  readonly hasMailbox: boolean;
  stop(): Promise<void>;
}

/** The product in one process, with all that a newcomer tries it with: an organization, a shop, a mailbox, an inbox. */
export async function startLocalCopy(options: LocalCopyOptions): Promise<LocalCopy> {
  const { home, databaseUrl, natsUrl, port, env, logger } = options;
  const host = hostOf(env);
  const secrets = withAdminToken(home.secrets, env);
  const demoPage = createDemoPage();
  const mail = openLocalMail(env);
  const deliveriesPage = createDeliveriesPage();
  const inbox = createWebhookInbox();
  const pages = [mail.handlePage, deliveriesPage.handle, inbox.handle, demoPage.handle];
  const running = await startSingleProcess({
    ...{ databaseUrl, natsUrl, host, port, logger, env, secrets },
    seal: await openSeal(home),
    mail: mail.setup,
    handlePage: (req, res) => pages.some((handle) => handle(req, res)),
  });
  const baseUrl = `http://${reachableHost(host)}:${running.port}`;
  mail.open(baseUrl);
  const unready = await running.findUnready();
  const demo = await prepareDemo(home, adminClient(running.admin), baseUrl).catch((error: unknown) => {
    // A first start makes its samples with what is not ready.
    throw unready.length === 0 ? error : new Error(unreadyText(unready).trim(), { cause: error });
  });
  writeHomeFile(home, "runtime.json", { adminUrl: running.adminUrl, adminToken: secrets.adminToken, baseUrl });
  demoPage.open(demo);
  deliveriesPage.open(running.webhooks, demo.organizationId);
  running.open();
  return {
    ...{ demo, unready },
    hasMailbox: mail.hasMailbox,
    stop: async () => {
      removeHomeFile(home, "runtime.json");
      await running.stop();
    },
  };
}
