import { migrate, type ServiceMigrations } from "#platform/db/migrate.ts";
import type { Logger } from "#platform/logger.ts";
import { gatewayMigrations } from "../gateway/migrations/index.ts";
import { authMigrations } from "../services/auth/migrations/index.ts";
import { clickMigrations } from "../services/click/migrations/index.ts";
import { docgenMigrations } from "../services/docgen/migrations/index.ts";
import { signMigrations } from "../services/sign/migrations/index.ts";
import { templatesMigrations } from "../services/templates/migrations/index.ts";
import { webhooksMigrations } from "../services/webhooks/migrations/index.ts";

/** The migrations of every schema of the product. No schema depends on another, so their order is free. */
export const allMigrations: readonly ServiceMigrations[] = [
  authMigrations,
  templatesMigrations,
  clickMigrations,
  docgenMigrations,
  signMigrations,
  webhooksMigrations,
  gatewayMigrations,
];

/** Brings all schemas up to date and returns what was applied; see migrate. */
export const migrateAll = (url: string, logger: Logger): Promise<string[]> =>
  migrate({ url, services: allMigrations, logger });
