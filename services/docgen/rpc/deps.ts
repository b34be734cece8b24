import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { DocgenService, RateStateSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { type Plan, planLimits, type UsageWindow, windowsNow } from "../domain/usage.ts";
import type { PlanReader } from "../plans/plan-reader.ts";
import type { TextConverter } from "../prepare/text-converter.ts";
import type { Renderer } from "../renderer/render-job.ts";
import type { DocgenOrm } from "../store/orm.ts";
import { type RateState, type Refusal, readUsed } from "../store/usage-store.ts";
import type { TemplateChecker } from "../templating/checked-template.ts";
import type { WordPrinter } from "../work/word-printer.ts";
import type { WorkLoop } from "../work/work-loop.ts";

export const getUsage = (deps: Pick<DocgenDeps, "pool" | "plans">): DocgenRpcs<"getUsage"> => ({
  async getUsage(_request, context) {
    const { orgId } = requireCaller(context);
    const plan = await deps.plans.of(orgId);
    const usedNow = await withOrg(deps.pool, orgId, (tenant) => readUsed(tenant));
    const { hour, minute } = windowsNow(planLimits[plan], usedNow);
    return { plan, hour: windowMessage(hour), minute: windowMessage(minute) };
  },
});

const windowMessage = ({ limit, used, resetAt }: UsageWindow) => ({ limit, used, resetAt: BigInt(resetAt) });

export const rateMessage = (rate: RateState): MessageInitShape<typeof RateStateSchema> => ({
  limit: rate.limit,
  remaining: rate.remaining,
  resetAt: BigInt(rate.resetAt),
  retryAfterSeconds: rate.retryAfterSeconds,
});

/** The error of a request for which the plan has no slot left. */
export const rateLimited = (plan: Plan, refusal: Refusal): DomainError => {
  const { limit, windowSeconds, retryAfterSeconds, resetAt } = refusal;
  const numbers = { limit, windowSeconds, retryAfterSeconds, resetAt };
  const metadata = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
  return new DomainError("GEN_RATE_LIMITED", { metadata: { plan, ...metadata } });
};

/** The dependencies of the handlers; each takes those it uses. */
export interface DocgenDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that chooses the next work among all organizations. */
  readonly claimerPool: pg.Pool;
  /** Management has connections of its own. */
  readonly orm: DocgenOrm;
  readonly blobs: BlobStore;
  /** The templates service, whose texts can be rendered too. */
  readonly templates: Client<typeof TemplatesService>;
  readonly checker: TemplateChecker;
  readonly textConverter: TextConverter;
  readonly workLoop: WorkLoop;
  /** The plans of the organizations. */
  readonly plans: PlanReader;
  readonly renderer: Renderer;
  /** Absent where Word files are not printed. */
  readonly word?: WordPrinter | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
}

/** Some RPCs of the service. */
export type DocgenRpcs<Name extends keyof ServiceImpl<typeof DocgenService>> = Pick<
  ServiceImpl<typeof DocgenService>,
  Name
>;
