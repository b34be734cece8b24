import type { OrgId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import { orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, type ClickInstance, rows } from "../../test/harness.ts";

export interface StatFilter {
  readonly from?: string;
  readonly to?: string;
  readonly locale?: string;
  readonly versionId?: string;
}

/** The statistics as the API answers them. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it at will
export type Stats = any;

export async function readStats(click: ClickHarness, template: FakeTemplate, filter: StatFilter = {}): Promise<Stats> {
  const request = { ...filter, templateId: template.templateId };
  return JSON.parse((await click.client.getTemplateStats(request, as(orgOf(template)))).statsJson);
}

export async function startWorkers(...instances: readonly ClickInstance[]): Promise<() => Promise<void>> {
  const workers = instances.flatMap(({ service }) => service.workers);
  for (const worker of workers) await worker.start();
  return async () => {
    for (const worker of workers) await worker.stop();
  };
}

/** Waits until every event of the organization that is counted was counted. */
export const settled = (click: ClickHarness, orgId: OrgId): Promise<true> =>
  until(async () => {
    const [left] = await rows<{ n: number }>(
      click,
      `select count(*)::integer as n from click.outbox o
       where organization_id = $1 and subject ~ '^assent.click.(session|acceptance|consent)'
         and not exists (select from click.inbox i where i.consumer = 'click-statistics' and i.event_id = o.event_id)`,
      [orgId],
    );
    return left?.n === 0;
  }, 30_000);
