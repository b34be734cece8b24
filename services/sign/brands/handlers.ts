import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AuditAction } from "#api/audit-actions.ts";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import {
  type BrandImageSchema,
  type BrandSchema,
  BrandImageKind as WireKind,
  type BrandSettings as WireSettings,
} from "#gen/assent/sign/v1/brands_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type OrgId, parseOrgId } from "#platform/ids.ts";
import { languageFor } from "#platform/language.ts";
import { canonicalLocale } from "#platform/locale.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { reportUrlOf } from "#platform/service-settings.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { schema } from "../agreement/write-change.ts";
import type { SignDeps } from "../deps.ts";
import { mailLanguages, sampleMail } from "../mail/mail-to.ts";
import type { BrandedMail } from "../send/mails.ts";
import { readSender } from "../sender-domains/store.ts";
import {
  type Brand,
  type BrandFont,
  type BrandImage,
  type BrandImageKind,
  type BrandSettings,
  checkedSettings,
  noSettings,
  readBrandImage,
} from "./brand.ts";
import * as store from "./brand-store.ts";

type Handlers = Pick<
  ServiceImpl<typeof SignService>,
  | `${"create" | "get" | "update" | "delete" | "resolve"}Brand`
  | `${"put" | "get" | "getPublic"}BrandImage`
  | "listBrands"
  | "previewBrandMail"
>;
type BrandDeps = Pick<SignDeps, "pool" | "clock" | "newId" | "wakeRelay" | "organizations" | "abuseContact">;

/** Room for every subsidiary; all of them travel in one message. */
const maxBrands = 100;

export const brands = (deps: BrandDeps): Handlers => ({
  async createBrand({ settings }, context) {
    const caller = requireCaller(context);
    const now = deps.clock.now();
    const checked = checkedSettings({ ...noSettings, ...settingsOf(settings as WireSettings) });
    requireLanguages(checked.texts);
    const brand: Brand = {
      ...{ ...checked, id: deps.newId(), logo: null, favicon: null },
      ...{ createdAt: now, modifiedAt: now },
    };
    await change(deps, caller, async (tenant) => {
      const others = await store.listBrands(tenant);
      if (others.length >= maxBrands) throw new DomainError("BRAND_LIMIT_REACHED");
      await requireFreeName(tenant, brand);
      await store.saveBrand(tenant, brand);
      return { action: "brand.created", brandId: brand.id, fields: [] };
    });
    return { brand: brandMessage(brand) };
  },

  async getBrand({ brandId }, context) {
    const { orgId } = requireCaller(context);
    return { brand: brandMessage(await withOrg(deps.pool, orgId, (tenant) => requireBrand(tenant, brandId))) };
  },

  async listBrands(_request, context) {
    const { orgId } = requireCaller(context);
    return { brands: (await withOrg(deps.pool, orgId, store.listBrands)).map(brandMessage) };
  },

  async updateBrand({ brandId, settings, updateMask }, context) {
    const caller = requireCaller(context);
    const changes = changesOf(settings as WireSettings, updateMask);
    const brand = await change(deps, caller, async (tenant) => {
      const before = await requireBrand(tenant, brandId);
      const after = { ...changedBrand(before, changes), modifiedAt: deps.clock.now() };
      requireLanguages(after.texts, before.texts);
      await requireFreeName(tenant, after);
      await store.saveBrand(tenant, after);
      const named = Object.keys(changes) as (keyof BrandSettings)[];
      const fields = named.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
      return { action: "brand.changed", brandId: before.id, fields, brand: after };
    });
    return { brand: brandMessage(brand) };
  },

  async deleteBrand({ brandId, otherBrandIds }, context) {
    const caller = requireCaller(context);
    const [first = "", ...others] = new Set([brandId, ...otherBrandIds].map((id) => id.toLowerCase()));
    await change(deps, caller, async (tenant) => {
      for (const id of [first, ...others]) {
        if (!isUuid(id) || !(await store.deleteBrand(tenant, id))) throw new DomainError("BRAND_NOT_FOUND");
      }
      return { action: "brand.deleted", brandId: first, otherIds: others, fields: [] };
    });
    return {};
  },

  async putBrandImage({ brandId, kind, content }, context) {
    const caller = requireCaller(context);
    const which = kindOf(kind);
    const { facts, kept } = content.length === 0 ? { facts: null, kept: content } : await pictureOf(which, content);
    const brand = await change(deps, caller, async (tenant) => {
      const { id, [which]: before } = await requireBrand(tenant, brandId);
      await store.saveBrandImage(tenant, id, { kind: which, facts, content: kept, now: deps.clock.now() });
      const isSame = (before?.sha256.toString("hex") ?? "") === (facts?.sha256.toString("hex") ?? "");
      const after = await requireBrand(tenant, id);
      return { action: "brand.changed", brandId: id, fields: isSame ? [] : [which], brand: after };
    });
    return { brand: brandMessage(brand) };
  },

  async getBrandImage({ brandId, kind }, context) {
    const { orgId } = requireCaller(context);
    return withOrg(deps.pool, orgId, async (tenant) => {
      const image = (await requireBrand(tenant, brandId))[kindOf(kind)];
      return imageAnswer(image === null ? undefined : await store.readBrandImage(tenant, image.sha256));
    });
  },

  async previewBrandMail({ brandId, settings, updateMask, mail, locale }, context) {
    const { orgId } = requireCaller(context);
    const changes = changesOf(settings as WireSettings, updateMask);
    if (locale !== "" && canonicalLocale(locale) === undefined) {
      throw invalid(problem("locale", "INVALID_LOCALE", "must be a BCP 47 language tag such as en or pt-BR"));
    }
    const branded = await withOrg(deps.pool, orgId, async (tenant) => {
      const brand = changedBrand(await requireBrand(tenant, brandId), changes);
      return { brand, logo: await store.readLogo(tenant, brand), hasDomain: (await readSender(tenant)) !== undefined };
    });
    const { name: senderName } = await deps.organizations.of(orgId);
    const reportUrl = reportUrlOf(deps.abuseContact);
    const occasion = { kind: mail as BrandedMail, locale, senderName, reportUrl, now: deps.clock.now() };
    const { fromName = "", replyTo, ...written } = sampleMail(branded, occasion);
    // As sending does beside an address of the organization.
    return { ...written, fromName: fromName || (branded.hasDomain ? senderName : ""), replyTo: replyTo?.address ?? "" };
  },

  async resolveBrand({ brandId }, context) {
    const { orgId } = requireCaller(context);
    const id = isUuid(brandId) ? brandId.toLowerCase() : null;
    const brand = await withOrg(deps.pool, orgId, (tenant) => store.resolveBrand(tenant, id));
    const { name: organizationName } = await deps.organizations.of(orgId);
    return { organizationName, ...(brand === undefined ? {} : { brand: brandMessage(brand) }) };
  },

  async getPublicBrandImage({ organizationId, sha256 }) {
    const orgId = parseOrgId(organizationId.toLowerCase());
    if (orgId === undefined) throw new DomainError("BRAND_IMAGE_NOT_FOUND");
    return imageAnswer(await withOrg(deps.pool, orgId, (tenant) => store.readBrandImage(tenant, sha256)));
  },
});

/** Brands that an agreement or a template is to have; throws BRAND_NOT_FOUND. One that goes later is no mistake of theirs. */
export async function requireBrands(
  organization: { readonly pool: SignDeps["pool"]; readonly orgId: OrgId } | Tenant,
  chosen: readonly { readonly brandId?: string | null }[],
): Promise<void> {
  const ids = new Set(chosen.flatMap(({ brandId }) => brandId ?? []));
  if (ids.size === 0) return;
  const check = async (tenant: Tenant) => {
    for (const id of ids) await requireBrand(tenant, id);
  };
  if ("pool" in organization) await withOrg(organization.pool, organization.orgId, check);
  else await check(organization);
}

async function requireBrand(tenant: Tenant, brandId: string): Promise<Brand> {
  const brand = await store.findBrand(tenant, brandId.toLowerCase());
  if (brand === undefined) throw new DomainError("BRAND_NOT_FOUND");
  return brand;
}

interface BrandChange {
  readonly action: Extract<AuditAction, `brand.${string}`>;
  readonly brandId: string;
  /** Of brands to which the same was done. */
  readonly otherIds?: readonly string[];
  /** What has changed. */
  readonly fields: readonly string[];
}

/** Writes with the lock of the organization's brands, and an event of the audit trail for each brand. */
async function change<Changed extends BrandChange>(
  deps: BrandDeps,
  caller: Caller,
  write: (tenant: Tenant) => Promise<Changed>,
): Promise<Changed extends { readonly brand: infer Value } ? Value : undefined> {
  const made = await withOrg(deps.pool, caller.orgId, async (tenant) => {
    await store.lockBrands(tenant);
    const changed = await write(tenant);
    const { action, brandId, otherIds = [], fields } = changed;
    // The same again changes nothing that anybody has to know of.
    if (action !== "brand.changed" || fields.length > 0) {
      const now = deps.clock.now();
      const changes = Object.fromEntries(fields.map((name) => [name, ""]));
      const records = [brandId, ...otherIds].map((targetId) => {
        const audited = { action, actor: auditActor(caller), targetId, changes };
        return auditRecord({ caller, eventId: deps.newId(), now }, audited);
      });
      await insertOutbox(tenant.client, schema, records);
    }
    return changed;
  });
  deps.wakeRelay();
  return ("brand" in made ? made.brand : undefined) as never;
}

/** With the changes, checked together with what stays; throws VALIDATION_FAILED. */
function changedBrand(before: Brand, changes: Partial<BrandSettings>): Brand {
  const { id, logo, favicon, createdAt, modifiedAt, ...own } = before;
  return { ...checkedSettings({ ...own, ...changes }), id, logo, favicon, createdAt, modifiedAt };
}

/** Only what the mask names. */
function changesOf(settings: WireSettings, mask: { readonly paths: readonly string[] } | undefined) {
  const given = settingsOf(settings);
  return Object.fromEntries(
    namedMembers(mask?.paths ?? []).map((name) => [name, given[name]]),
  ) as Partial<BrandSettings>;
}

/** Mails are written in one of our languages, so texts for another one would never be right. What was there may stay. */
function requireLanguages(texts: Brand["texts"], before: Brand["texts"] = []): void {
  const known = Object.keys(mailLanguages);
  const kept = new Set(before.map(({ locale }) => locale));
  const problems = texts.flatMap(({ locale }, index) =>
    kept.has(locale) || languageFor([locale], known) !== undefined
      ? []
      : [problem(`texts[${index}].locale`, "INVALID_LOCALE", `must be one of ${known.join(", ")}, or a region of one`)],
  );
  if (problems.length > 0) throw invalid(...problems);
}

async function requireFreeName(tenant: Tenant, brand: Brand): Promise<void> {
  if (await store.isNameTaken(tenant, brand)) throw new DomainError("BRAND_NAME_EXISTS");
}

async function pictureOf(kind: BrandImageKind, content: Uint8Array) {
  const { facts, kept } = await readBrandImage(kind, content);
  return { facts: { ...facts, sha256: sha256Of(kept) } satisfies BrandImage, kept };
}

const settingsOf = ({ $typeName: _, $unknown: __, ...given }: WireSettings): BrandSettings => ({
  ...given,
  colors: { ...noSettings.colors, ...given.colors },
  font: (given.font || "sans") as BrandFont,
  texts: given.texts.map(({ locale, mail, subject, intro }) => ({ locale, mail: mail as BrandedMail, subject, intro })),
});

/** The members that the paths of a mask name. */
const members: ReadonlyMap<string, keyof BrandSettings> = new Map([
  ["name", "name"],
  ["is_default", "isDefault"],
  ["colors", "colors"],
  ["font", "font"],
  ["footer_text", "footerText"],
  ["sender_name", "senderName"],
  ["reply_to", "replyTo"],
  ["attach_files", "attachFiles"],
  ["texts", "texts"],
]);

function namedMembers(paths: readonly string[]): (keyof BrandSettings)[] {
  return paths.map((path) => {
    const name = members.get(path);
    if (name === undefined) throw invalid(problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which is no field`));
    return name;
  });
}

const kindOf = (kind: WireKind): BrandImageKind => (kind === WireKind.FAVICON ? "favicon" : "logo");

export const brandMessage = (brand: Brand): MessageInitShape<typeof BrandSchema> => {
  const { logo, favicon, createdAt, modifiedAt, texts, ...settings } = brand;
  return {
    ...settings,
    texts: texts.map((text) => ({ ...text })),
    createdAt: timestampFromDate(createdAt),
    modifiedAt: timestampFromDate(modifiedAt),
    ...(logo === null ? {} : { logo: imageMessage(logo) }),
    ...(favicon === null ? {} : { favicon: imageMessage(favicon) }),
  };
};

const imageMessage = ({
  sha256,
  contentType,
  width,
  height,
  bytes,
}: BrandImage): MessageInitShape<typeof BrandImageSchema> => ({ sha256, contentType, width, height, bytes });

function imageAnswer(image: (BrandImage & { readonly content: Buffer }) | undefined) {
  if (image === undefined) throw new DomainError("BRAND_IMAGE_NOT_FOUND");
  return { image: imageMessage(image), content: image.content };
}
