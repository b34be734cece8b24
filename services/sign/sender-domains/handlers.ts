import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { SenderDomainSchema } from "#gen/assent/sign/v1/brands_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { audit, type CheckDeps, checkProof } from "./check.ts";
import { senderKind } from "./recheck.ts";
import { checkedName, recordsOf, type SenderDomain } from "./sender-domain.ts";
import * as store from "./store.ts";

type Handlers = SignRpcs<`${"create" | "get" | "check" | "delete"}SenderDomain` | "listSenderDomains">;
const maxDomains = 10;
const generate = promisify(generateKeyPair);

export const senderDomains = (deps: CheckDeps & Pick<SignDeps, "senderKeys">): Handlers => ({
  async createSenderDomain(request, context) {
    const caller = requireCaller(context);
    const name = checkedName(request);
    // All receivers verify RSA; some do not yet verify Ed25519 (RFC 8463).
    const { publicKey, privateKey } = await generate("rsa", { modulusLength: 2048 });
    const made: SenderDomain = {
      ...{ ...name, id: deps.newId(), status: "pending", findings: {} },
      ...{ token: randomBytes(16).toString("hex"), selector: `assent-${randomBytes(4).toString("hex")}` },
      publicKey: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
      ...{ checkedAt: null, verifiedAt: null, createdBy: caller.clientId, createdAt: deps.clock.now() },
    };
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    await withOrg(deps.pool, caller.orgId, async (tenant) => {
      await store.lockSenderDomains(tenant);
      const others = await store.listSenderDomains(tenant);
      if (others.some(({ domain }) => domain === made.domain)) throw new DomainError("SENDER_DOMAIN_EXISTS");
      if (others.length >= maxDomains) throw new DomainError("SENDER_DOMAIN_LIMIT_REACHED");
      const sealed = store.sealPrivateKey(deps.senderKeys, caller.orgId, made.id, pem);
      await store.insertSenderDomain(tenant, made, sealed);
      await audit(deps, tenant, caller, "sender-domain.created", made.id);
    });
    deps.wakeRelay();
    return { senderDomain: messageOf(deps, made, undefined) };
  },

  async listSenderDomains(_request, context) {
    const { orgId } = requireCaller(context);
    const all = await withOrg(deps.pool, orgId, store.listSenderDomains);
    return { senderDomains: all.map((one) => messageOf(deps, one, senderIn(all))) };
  },

  async getSenderDomain({ senderDomainId }, context) {
    const { orgId } = requireCaller(context);
    return { senderDomain: await read(deps, orgId, senderDomainId) };
  },

  async checkSenderDomain({ senderDomainId }, context) {
    const caller = requireCaller(context);
    const checked = await checkProof(deps, caller, senderKind(deps), senderDomainId.toLowerCase());
    if (checked === undefined) throw new DomainError("SENDER_DOMAIN_NOT_FOUND");
    if (checked.isTaken) throw new DomainError("SENDER_DOMAIN_TAKEN");
    return { senderDomain: await read(deps, caller.orgId, senderDomainId) };
  },

  async deleteSenderDomain({ senderDomainId }, context) {
    const caller = requireCaller(context);
    const id = senderDomainId.toLowerCase();
    await withOrg(deps.pool, caller.orgId, async (tenant) => {
      if (!(await store.deleteSenderDomain(tenant, id))) throw new DomainError("SENDER_DOMAIN_NOT_FOUND");
      await audit(deps, tenant, caller, "sender-domain.deleted", id);
    });
    deps.wakeRelay();
    return {};
  },
});

async function read(deps: CheckDeps, orgId: Caller["orgId"], id: string) {
  const all = await withOrg(deps.pool, orgId, store.listSenderDomains);
  const found = all.find((one) => one.id === id.toLowerCase());
  if (found === undefined) throw new DomainError("SENDER_DOMAIN_NOT_FOUND");
  return messageOf(deps, found, senderIn(all));
}

const senderIn = (all: readonly SenderDomain[]): SenderDomain | undefined =>
  all.find(({ status }) => status === "verified");

function messageOf(
  { mailDomain }: Pick<SignDeps, "mailDomain">,
  one: SenderDomain,
  sender: SenderDomain | undefined,
): MessageInitShape<typeof SenderDomainSchema> {
  const { id, domain, mailbox, status, findings, checkedAt, verifiedAt, createdAt } = one;
  return {
    ...{ id, domain, mailbox, status, isSender: id === sender?.id },
    records: recordsOf(one, mailDomain).map((record) => ({
      ...{ ...record, status: findings[record.purpose] ?? "unchecked" },
    })),
    ...(checkedAt === null ? {} : { checkedAt: timestampFromDate(checkedAt) }),
    ...(verifiedAt === null ? {} : { verifiedAt: timestampFromDate(verifiedAt) }),
    createdAt: timestampFromDate(createdAt),
  };
}
