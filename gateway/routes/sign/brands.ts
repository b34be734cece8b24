import { brand, brandMails, brandPicture, mailPreview, senderDomain } from "#api/brands.ts";
import { onePixel } from "#api/kinds.ts";
import { type Brand, BrandImageKind, type SenderDomain } from "#gen/assent/sign/v1/brands_pb.ts";
import { signDialect, standardDialect } from "../../http/error-dialect.ts";
import { fileReply } from "../../http/file-reply.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { decodePicture } from "../generation/assets.ts";
import { fileAnswer } from "../generation/file-answer.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, queryOf, type Route } from "../route.ts";
import { described, languageTag, listOf, oneOf, required } from "../schema-parts.ts";
import { admin, read } from "./base.ts";

const base = { tag: "Brands", dialect: signDialect } as const;
const notFound = { id: "BRAND_NOT_FOUND" } as const;

const exampleBrand = {
  name: "Example AG",
  colors: { button: "#0b5d3b", header: "#0b5d3b" },
  footer: "Example AG, 1 Example Street, Berlin",
  senderName: "Example AG",
  replyTo: "contracts@example.com",
  texts: [{ locale: "en", mail: "invitation", subject: "{sender} has sent you {subject}" }],
} as const;

const brandReply = (status: number, message: Brand | undefined): Reply =>
  jsonReply(status, brand.answer(required(message)));

const settingsRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listBrands",
    method: "GET",
    path: "/v1/sign/brands",
    summary: "List brands",
    description: "All of them, oldest first; an organization can have 100.",
    access: read,
    success: { status: 200, description: "The brands.", schema: listOf(brand.schemas.answer) },
    errors: [],
    call: (request, { sign }) => sign.listBrands({}, onBehalfOf(request)),
    respond: ({ brands }) =>
      jsonReply(
        200,
        brands.map((one) => brand.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "createBrand",
    method: "POST",
    path: "/v1/sign/brands",
    summary: "Create a brand",
    description:
      "A brand sets how pages and emails look to the people who are asked to agree. Agreements and their templates choose it by ID; the default brand is used for all others.",
    access: admin,
    body: createBody(brand, { example: exampleBrand }),
    success: { status: 201, description: "The brand.", schema: brand.schemas.answer },
    errors: ["BRAND_NAME_EXISTS", "BRAND_LIMIT_REACHED"],
    call: (request, { sign }) => sign.createBrand(brand.create(request.body), onBehalfOf(request)),
    respond: (answer) => brandReply(201, answer.brand),
  }),
  defineRoute({
    ...base,
    operationId: "getBrand",
    method: "GET",
    path: "/v1/sign/brands/{id}",
    summary: "Read a brand",
    access: read,
    notFound,
    success: { status: 200, description: "The brand.", schema: brand.schemas.answer },
    errors: [],
    call: (request, { sign }) => sign.getBrand({ brandId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => brandReply(200, answer.brand),
  }),
  defineRoute({
    ...base,
    operationId: "updateBrand",
    method: "PATCH",
    path: "/v1/sign/brands/{id}",
    summary: "Change a brand",
    description:
      "Absent members stay as they are; colors and texts are replaced as a whole. Everything that uses the brand changes immediately.",
    access: admin,
    notFound,
    body: changeBody(brand, { example: { colors: { button: "#0b5d3b", buttonText: "#ffffff" } } }),
    success: { status: 200, description: "The brand.", schema: brand.schemas.answer },
    errors: ["BRAND_NAME_EXISTS"],
    call: (request, { sign }) =>
      sign.updateBrand({ ...brand.change(request.body), brandId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => brandReply(200, answer.brand),
  }),
  defineRoute({
    ...base,
    operationId: "previewBrandMail",
    method: "POST",
    path: "/v1/sign/brands/{id}/mail-preview",
    summary: "Preview a mail of a brand",
    description:
      "Writes a mail to a sample recipient as it would look with these changes, which are the same as in a change of the brand. Nothing is kept or sent.",
    access: read,
    notFound,
    query: queryOf<{ mail?: string; locale?: string }>({
      mail: described(oneOf(...brandMails), "What the mail is about; invitation when absent."),
      locale: described(languageTag, "The language of the reader, BCP 47; en when absent."),
    }),
    body: changeBody(brand, { example: { colors: { button: "#0b5d3b" }, footer: "Example AG, Berlin" } }),
    success: { status: 200, description: "The mail.", schema: mailPreview.schemas.answer },
    errors: [],
    call: (request, { sign }) => {
      const { mail = "invitation", locale = "" } = request.query;
      const wanted = { ...brand.change(request.body), brandId: request.params.id, mail, locale };
      return sign.previewBrandMail(wanted, onBehalfOf(request));
    },
    respond: (answer) => jsonReply(200, mailPreview.answer(answer)),
  }),
  defineRoute({
    ...base,
    operationId: "deleteBrand",
    method: "DELETE",
    path: "/v1/sign/brands/{id}",
    summary: "Delete a brand",
    description: "Everything that uses it gets the default brand, or the default design.",
    access: admin,
    notFound,
    success: { status: 204, description: "The brand was deleted." },
    errors: [],
    call: (request, { sign }) => sign.deleteBrand({ brandId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

interface Picture {
  /** Of the path. */
  readonly name: "logo" | "favicon";
  /** Of the operations. */
  readonly idPart: "Logo" | "Favicon";
  readonly kind: BrandImageKind;
  readonly description: string;
}

const pictures: readonly Picture[] = [
  {
    name: "logo",
    idPart: "Logo",
    kind: BrandImageKind.LOGO,
    description: "A PNG or JPEG of at most 300 KB and 4,000 pixels on each side; emails include it.",
  },
  {
    name: "favicon",
    idPart: "Favicon",
    kind: BrandImageKind.FAVICON,
    description: "A square PNG or JPEG of at most 100 KB and 512 pixels on each side.",
  },
];

/** Room for the larger picture in Base64. */
const pictureBytes = 450_000;

const pictureRoutes = ({ name, idPart, kind, description }: Picture): readonly Route[] => [
  defineRoute({
    ...base,
    operationId: `putBrand${idPart}`,
    method: "PUT",
    path: `/v1/sign/brands/{id}/${name}`,
    summary: `Set the ${name} of a brand`,
    description: `${description} SVG is refused because it can contain scripts.`,
    access: admin,
    notFound,
    body: createBody(brandPicture, { maxBytes: pictureBytes, example: { content: onePixel } }),
    success: { status: 200, description: "The brand.", schema: brand.schemas.answer },
    errors: [],
    call: (request, { sign }) => {
      const content = decodePicture(request.body.content, signDialect);
      return sign.putBrandImage({ brandId: request.params.id, kind, content }, onBehalfOf(request));
    },
    respond: (answer) => brandReply(200, answer.brand),
  }),
  defineRoute({
    ...base,
    operationId: `getBrand${idPart}`,
    method: "GET",
    path: `/v1/sign/brands/{id}/${name}`,
    summary: `Download the ${name} of a brand`,
    access: read,
    notFound,
    ...fileAnswer({ description: "The bytes.", contentType: "image/png", alsoTypes: ["image/jpeg"] }),
    errors: ["BRAND_IMAGE_NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
    call: (request, { sign }) => sign.getBrandImage({ brandId: request.params.id, kind }, onBehalfOf(request)),
    respond: ({ image, content }, request) => {
      const { contentType, sha256 } = required(image);
      const fileName = `${name}.${contentType === "image/png" ? "png" : "jpg"}`;
      const file = { bytes: content, contentType, fileName, sha256: Buffer.from(sha256).toString("hex") };
      return fileReply({ ...file, rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
    },
  }),
  defineRoute({
    ...base,
    operationId: `deleteBrand${idPart}`,
    method: "DELETE",
    path: `/v1/sign/brands/{id}/${name}`,
    summary: `Remove the ${name} of a brand`,
    access: admin,
    notFound,
    success: { status: 204, description: "The brand has no such image any more." },
    errors: [],
    call: (request, { sign }) =>
      sign.putBrandImage({ brandId: request.params.id, kind, content: new Uint8Array() }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

const sampleOrganization = "01961234-5678-7abc-8def-0123456789ab";

/** Where pages load the pictures of a brand: whoever knows the address has seen such a page. */
const publicRoutes: readonly Route[] = [
  defineRoute({
    operationId: "getBrandImage",
    method: "GET",
    path: "/brand-images/{organizationId}/{sha256}",
    tag: "Brands",
    dialect: standardDialect,
    crossOrigin: true,
    summary: "Load an image of a page",
    description: "Logos and favicons of the signing page, by the hash of their bytes.",
    access: "public",
    texts: {
      organizationId: {
        schema: {
          type: "string",
          format: "uuid",
          description: "The organization that it belongs to.",
          examples: [sampleOrganization],
        },
        names: "organization",
        otherwise: "BRAND_IMAGE_NOT_FOUND",
      },
      sha256: {
        schema: {
          type: "string",
          pattern: "^[0-9a-f]{64}$",
          description: "SHA-256 of the bytes, in hexadecimal digits.",
          examples: ["0123456789abcdef".repeat(4)],
        },
        names: "brandImage",
        otherwise: "BRAND_IMAGE_NOT_FOUND",
      },
    },
    success: {
      status: 200,
      description: "The picture.",
      contentType: "image/png",
      alsoTypes: ["image/jpeg"],
      headers: { ETag: "The hash, in quotes.", "Content-Security-Policy": "Lets nothing run." },
    },
    errors: ["BRAND_IMAGE_NOT_FOUND"],
    call: ({ params }, { sign }) =>
      sign.getPublicBrandImage({
        organizationId: params.organizationId,
        sha256: Uint8Array.from(Buffer.from(params.sha256, "hex")),
      }),
    respond: ({ image, content }, { params }) => ({
      status: 200,
      body: content,
      contentType: required(image).contentType,
      headers: {
        ETag: `"${params.sha256}"`,
        // The address has other bytes never; a brand that is deleted is still shown for a day where it was.
        "Cache-Control": "public, max-age=86400, immutable",
        "Content-Security-Policy": "default-src 'none'; sandbox",
      },
    }),
  }),
];

export const brandRoutes: readonly Route[] = [...settingsRoutes, ...pictures.flatMap(pictureRoutes), ...publicRoutes];

const noDomain = { id: "SENDER_DOMAIN_NOT_FOUND" } as const;
const schema = senderDomain.schemas.answer;

const domainReply = (status: number, message: SenderDomain | undefined): Reply =>
  jsonReply(status, senderDomain.answer(required(message)));

export const senderDomainRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listSenderDomains",
    method: "GET",
    path: "/v1/sign/sender-domains",
    summary: "List sender domains",
    description: "All of them, the oldest first; an organization has 10 at most.",
    access: read,
    success: { status: 200, description: "The sender domains.", schema: listOf(schema) },
    errors: [],
    call: (request, { sign }) => sign.listSenderDomains({}, onBehalfOf(request)),
    respond: ({ senderDomains }) =>
      jsonReply(
        200,
        senderDomains.map((one) => senderDomain.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "createSenderDomain",
    method: "POST",
    path: "/v1/sign/sender-domains",
    summary: "Add a sender domain",
    description:
      "A domain that mails about agreements are to come from. The answer has the DNS records to set; mails come from the domain once a check has found them.",
    access: admin,
    body: createBody(senderDomain, { example: { domain: "mail.example.com", mailbox: "agreements" } }),
    success: { status: 201, description: "The sender domain, pending.", schema },
    errors: ["SENDER_DOMAIN_EXISTS", "SENDER_DOMAIN_LIMIT_REACHED"],
    call: (request, { sign }) => sign.createSenderDomain(senderDomain.create(request.body), onBehalfOf(request)),
    respond: (answer) => domainReply(201, answer.senderDomain),
  }),
  defineRoute({
    ...base,
    operationId: "getSenderDomain",
    method: "GET",
    path: "/v1/sign/sender-domains/{id}",
    summary: "Read a sender domain",
    access: read,
    notFound: noDomain,
    success: { status: 200, description: "The sender domain.", schema },
    errors: [],
    call: (request, { sign }) => sign.getSenderDomain({ senderDomainId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => domainReply(200, answer.senderDomain),
  }),
  defineRoute({
    ...base,
    operationId: "checkSenderDomain",
    method: "POST",
    path: "/v1/sign/sender-domains/{id}/check",
    summary: "Check the records of a sender domain",
    description:
      "Looks them up now. The domain is verified when all required ones are found, and lost when one of a verified domain is gone. A verified domain is checked each hour as well.",
    access: admin,
    notFound: noDomain,
    success: { status: 200, description: "The sender domain after that.", schema },
    errors: ["SENDER_DOMAIN_TAKEN"],
    call: (request, { sign }) => sign.checkSenderDomain({ senderDomainId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => domainReply(200, answer.senderDomain),
  }),
  defineRoute({
    ...base,
    operationId: "deleteSenderDomain",
    method: "DELETE",
    path: "/v1/sign/sender-domains/{id}",
    summary: "Delete a sender domain",
    description:
      "With its DKIM key. Mails come from the sender of the installation again, or from the next verified one.",
    access: admin,
    notFound: noDomain,
    success: { status: 204, description: "The sender domain is gone." },
    errors: [],
    call: (request, { sign }) => sign.deleteSenderDomain({ senderDomainId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];
