import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { onePixel } from "#api/kinds.ts";
import {
  type Brand,
  BrandColorsSchema,
  BrandImageKind,
  BrandImageSchema,
  BrandSchema,
  type BrandSettings,
  type PageHost,
  PageHostSchema,
  type SenderDomain,
  SenderDomainSchema,
} from "#gen/assent/sign/v1/brands_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { FakeSignCore, SignHandlers } from "./fake-sign.ts";
import { at } from "./sample-agreement.ts";

const samplePicture = Uint8Array.from(Buffer.from(onePixel, "base64"));
const image = create(BrandImageSchema, {
  ...{ sha256: createHash("sha256").update(samplePicture).digest(), contentType: "image/png" },
  ...{ width: 1, height: 1, bytes: samplePicture.length },
});

/** Brands of the fake: each has what it was given, and every picture is the same. */
export function createFakeSignBrands({ enter, brands }: FakeSignCore): SignHandlers {
  const brandOf = (id: string, orgId: string): Brand => {
    const found = brands.get(id.toLowerCase());
    if (found?.orgId !== orgId) throw new DomainError("BRAND_NOT_FOUND");
    return found.brand;
  };
  const senderDomains = new Map<string, { readonly orgId: string; readonly senderDomain: SenderDomain }>();
  const pageHosts = new Map<string, { readonly orgId: string; readonly pageHost: PageHost }>();
  const hostOf = (id: string, orgId: string): PageHost => {
    const found = pageHosts.get(id.toLowerCase());
    if (found?.orgId !== orgId) throw new DomainError("PAGE_HOST_NOT_FOUND");
    return found.pageHost;
  };
  const domainOf = (id: string, orgId: string): SenderDomain => {
    const found = senderDomains.get(id.toLowerCase());
    if (found?.orgId !== orgId) throw new DomainError("SENDER_DOMAIN_NOT_FOUND");
    return found.senderDomain;
  };
  const ofOrg = (orgId: string): Brand[] =>
    [...brands.values()].filter((one) => one.orgId === orgId).map(({ brand }) => brand);
  return {
    createBrand: ({ settings, ...request }, context) => {
      const { orgId } = enter(context, "createBrand", { ...request, settings });
      const id = newId();
      const brand = create(BrandSchema, { font: "sans", id, createdAt: at(0), modifiedAt: at(0) });
      assign(brand, settings);
      brands.set(id, { orgId, brand });
      return { brand };
    },
    getBrand: (request, context) => ({
      brand: brandOf(request.brandId, enter(context, "getBrand", request).orgId),
    }),
    listBrands: (request, context) => ({ brands: ofOrg(enter(context, "listBrands", request).orgId) }),
    updateBrand: (request, context) => {
      const brand = brandOf(request.brandId, enter(context, "updateBrand", request).orgId);
      return { brand: assign(brand, request.settings) };
    },
    previewBrandMail: (request, context) => {
      const brand = brandOf(request.brandId, enter(context, "previewBrandMail", request).orgId);
      const { senderName: fromName, replyTo } = request.settings ?? brand;
      return { fromName, replyTo, subject: `${request.mail} ${request.locale}`, text: "Hello", html: "<p>Hello</p>" };
    },
    deleteBrand: (request, context) => {
      const { orgId } = enter(context, "deleteBrand", request);
      const gone = [request.brandId, ...request.otherBrandIds].map((id) => brandOf(id, orgId));
      for (const { id } of gone) brands.delete(id);
      return {};
    },
    putBrandImage: (request, context) => {
      const brand = brandOf(request.brandId, enter(context, "putBrandImage", request).orgId);
      const name = request.kind === BrandImageKind.LOGO ? "logo" : "favicon";
      if (request.content.length === 0) delete brand[name];
      else brand[name] = image;
      return { brand };
    },
    getBrandImage: (request, context) => {
      brandOf(request.brandId, enter(context, "getBrandImage", request).orgId);
      return { image, content: samplePicture };
    },
    resolveBrand: (request, context) => {
      const { orgId } = enter(context, "resolveBrand", request);
      const all = ofOrg(orgId);
      const brand = all.find(({ id }) => id === request.brandId) ?? all.find(({ isDefault }) => isDefault);
      return { organizationName: "Example AG", ...(brand === undefined ? {} : { brand }) };
    },
    createSenderDomain: ({ domain, mailbox }, context) => {
      const { orgId } = enter(context, "createSenderDomain", { domain, mailbox });
      const id = newId();
      const records = [{ purpose: "proof", name: `_assent.${domain}`, value: "assent-domain=0", isRequired: true }];
      const senderDomain = create(SenderDomainSchema, {
        ...{ id, domain, mailbox: mailbox || "agreements", status: "pending", createdAt: at(0) },
        records: records.map((record) => ({ ...record, status: "unchecked" })),
      });
      senderDomains.set(id, { orgId, senderDomain });
      return { senderDomain };
    },
    listSenderDomains: (request, context) => {
      const { orgId } = enter(context, "listSenderDomains", request);
      const own = [...senderDomains.values()].filter((one) => one.orgId === orgId);
      return { senderDomains: own.map(({ senderDomain }) => senderDomain) };
    },
    getSenderDomain: (request, context) => ({
      senderDomain: domainOf(request.senderDomainId, enter(context, "getSenderDomain", request).orgId),
    }),
    checkSenderDomain: (request, context) => {
      const found = domainOf(request.senderDomainId, enter(context, "checkSenderDomain", request).orgId);
      return { senderDomain: Object.assign(found, { checkedAt: at(1) }) };
    },
    deleteSenderDomain: (request, context) => {
      const { id } = domainOf(request.senderDomainId, enter(context, "deleteSenderDomain", request).orgId);
      senderDomains.delete(id);
      return {};
    },
    createPageHost: ({ host }, context) => {
      const { orgId } = enter(context, "createPageHost", { host });
      const id = newId();
      const record = { purpose: "proof", name: `_assent-pages.${host}`, value: "assent-pages=0", isRequired: true };
      const records = [{ ...record, status: "unchecked" }];
      const pageHost = create(PageHostSchema, { id, host, status: "pending", records, createdAt: at(0) });
      pageHosts.set(id, { orgId, pageHost });
      return { pageHost };
    },
    listPageHosts: (request, context) => {
      const { orgId } = enter(context, "listPageHosts", request);
      return {
        pageHosts: [...pageHosts.values()].filter((one) => one.orgId === orgId).map(({ pageHost }) => pageHost),
      };
    },
    getPageHost: (request, context) => ({
      pageHost: hostOf(request.pageHostId, enter(context, "getPageHost", request).orgId),
    }),
    // Each check finds the record.
    checkPageHost: (request, context) => {
      const found = hostOf(request.pageHostId, enter(context, "checkPageHost", request).orgId);
      return {
        pageHost: Object.assign(found, { status: "verified", isUsed: true, checkedAt: at(1), verifiedAt: at(1) }),
      };
    },
    deletePageHost: (request, context) => {
      const { id } = hostOf(request.pageHostId, enter(context, "deletePageHost", request).orgId);
      pageHosts.delete(id);
      return {};
    },
    resolvePageHost: ({ host }) => ({
      organizationId:
        [...pageHosts.values()].find(({ pageHost }) => pageHost.host === host && pageHost.status === "verified")
          ?.orgId ?? "",
    }),
    getPublicBrandImage: ({ organizationId }) => {
      if (ofOrg(organizationId).length === 0) throw new DomainError("BRAND_IMAGE_NOT_FOUND");
      return { image, content: samplePicture };
    },
  };
}

/** What a request says, whatever its mask names. */
function assign(brand: Brand, settings: BrandSettings | undefined): Brand {
  const { name = "", font = "", colors = create(BrandColorsSchema) } = settings ?? {};
  const { isDefault, footerText, senderName, replyTo, attachFiles, texts } = { ...brand, ...settings };
  const given = { isDefault, footerText, senderName, replyTo, attachFiles, texts, colors };
  return Object.assign(brand, { ...given, name: name || brand.name, font: font || "sans" });
}
