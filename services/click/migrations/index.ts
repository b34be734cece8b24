import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Consent } from "./002_consent.ts";
import { Migration003Render } from "./003_render.ts";
import { Migration004Stats } from "./004_stats.ts";
import { Migration005Evidence } from "./005_evidence.ts";
import { Migration006OutboxCursor } from "./006_outbox_cursor.ts";
import { Migration007ExternalHeads } from "./007_external_heads.ts";
import { Migration008ExpiredReceipt } from "./008_expired_receipt.ts";
import { Migration009StatsByHour } from "./009_stats_by_hour.ts";
import { Migration010NewestAcceptances } from "./010_newest_acceptances.ts";
import { Migration012MasterKeys } from "./012_master_keys.ts";

export const clickMigrations: ServiceMigrations = {
  schema: "click",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_consent", class: Migration002Consent },
    { name: "003_render", class: Migration003Render },
    { name: "004_stats", class: Migration004Stats },
    { name: "005_evidence", class: Migration005Evidence },
    { name: "006_outbox_cursor", class: Migration006OutboxCursor },
    { name: "007_external_heads", class: Migration007ExternalHeads },
    { name: "008_expired_receipt", class: Migration008ExpiredReceipt },
    { name: "009_stats_by_hour", class: Migration009StatsByHour },
    { name: "010_newest_acceptances", class: Migration010NewestAcceptances },
    { name: "012_master_keys", class: Migration012MasterKeys },
  ],
};
