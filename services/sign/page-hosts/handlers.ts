import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { PageHostSchema } from "#gen/assent/sign/v1/brands_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { audit, type CheckDeps, checkProof } from "../sender-domains/check.ts";
import { checkedHost, type PageHost, recordsOf } from "./page-host.ts";
import * as store from "./store.ts";

type Handlers = SignRpcs<`${"create" | "get" | "check" | "delete" | "resolve"}PageHost` | "listPageHosts">;
const maxHosts = 10;

export const pageHosts = (deps: CheckDeps & Pick<SignDeps, "verifierPool">): Handlers => ({
  async createPageHost(request, context) {
    const caller = requireCaller(context);
    const made: PageHost = {
      ...{ id: deps.newId(), host: checkedHost(request.host), token: randomBytes(16).toString("hex") },
      ...{ status: "pending", findings: {}, checkedAt: null, verifiedAt: null },
      ...{ createdBy: caller.clientId, createdAt: deps.clock.now() },
    };
    await withOrg(deps.pool, caller.orgId, async (tenant) => {
      await store.lockPageHosts(tenant);
      const others = await store.listPageHosts(tenant);
      if (others.some(({ host }) => host === made.host)) throw new DomainError("PAGE_HOST_EXISTS");
      if (others.length >= maxHosts) throw new DomainError("PAGE_HOST_LIMIT_REACHED");
      await store.insertPageHost(tenant, made);
      await audit(deps, tenant, caller, "page-host.created", made.id);
    });
    deps.wakeRelay();
    return { pageHost: messageOf(made, []) };
  },

  async listPageHosts(_request, context) {
    const { orgId } = requireCaller(context);
    const all = await withOrg(deps.pool, orgId, store.listPageHosts);
    return { pageHosts: all.map((one) => messageOf(one, all)) };
  },

  async getPageHost({ pageHostId }, context) {
    return { pageHost: await read(deps, requireCaller(context).orgId, pageHostId) };
  },

  async checkPageHost({ pageHostId }, context) {
    const caller = requireCaller(context);
    const checked = await checkProof(deps, caller, store.pageHostKind, pageHostId.toLowerCase());
    if (checked === undefined) throw new DomainError("PAGE_HOST_NOT_FOUND");
    if (checked.isTaken) throw new DomainError("PAGE_HOST_TAKEN");
    return { pageHost: await read(deps, caller.orgId, pageHostId) };
  },

  async deletePageHost({ pageHostId }, context) {
    const caller = requireCaller(context);
    const id = pageHostId.toLowerCase();
    await withOrg(deps.pool, caller.orgId, async (tenant) => {
      if (!(await store.deletePageHost(tenant, id))) throw new DomainError("PAGE_HOST_NOT_FOUND");
      await audit(deps, tenant, caller, "page-host.deleted", id);
    });
    deps.wakeRelay();
    return {};
  },

  async resolvePageHost({ host }) {
    return { organizationId: (await store.findHostOwner(deps.verifierPool, host.toLowerCase())) ?? "" };
  },
});

async function read(deps: CheckDeps, orgId: Caller["orgId"], id: string) {
  const all = await withOrg(deps.pool, orgId, store.listPageHosts);
  const found = all.find((one) => one.id === id.toLowerCase());
  if (found === undefined) throw new DomainError("PAGE_HOST_NOT_FOUND");
  return messageOf(found, all);
}

function messageOf(one: PageHost, all: readonly PageHost[]): MessageInitShape<typeof PageHostSchema> {
  const { id, host, status, findings, checkedAt, verifiedAt, createdAt } = one;
  const used = all.find((other) => other.status === "verified");
  return {
    ...{ id, host, status, isUsed: id === used?.id },
    records: recordsOf(one).map((record) => ({ ...record, status: findings[record.purpose] ?? "unchecked" })),
    ...(checkedAt === null ? {} : { checkedAt: timestampFromDate(checkedAt) }),
    ...(verifiedAt === null ? {} : { verifiedAt: timestampFromDate(verifiedAt) }),
    createdAt: timestampFromDate(createdAt),
  };
}
