import type { MessageInitShape } from "@bufbuild/protobuf";
import { type JsonSchema, onePixel } from "#api/kinds.ts";
import { type Brand, BrandImageKind, type BrandSettingsSchema } from "#gen/assent/sign/v1/brands_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { pageOf } from "../../../views/compat/page.ts";
import { filled } from "../../../views/compat/scalars.ts";
import { fileReply } from "../../http/file-reply.ts";
import { jsonReply, noContent } from "../../http/reply.ts";
import { fileAnswer } from "../../routes/generation/file-answer.ts";
import { documentBody, jsonBody, onBehalfOf, type Route, type TextParam } from "../../routes/route.ts";
import { listOf, required } from "../../routes/schema-parts.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { refuseMeaningful } from "../read/refuse.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { looseBody, pageAnswer, sampleId, textsAnswer } from "../schema-parts.ts";

const tag = "Compatible account";
const ofBrand = { brandId: "BRAND_NOT_FOUND" } as const;
const read = { tag, scopes: ["sign:read"] } as const;
const admin = { tag, scopes: ["sign:admin"] } as const;

/** Each as it is written, with the names that are understood beside it. */
const colorNames = [
  ["button", "buttonPrimaryBackground", ["buttonMainBackground"]],
  ["buttonText", "buttonPrimaryText", ["buttonMainText"]],
  ["header", "headerBackground", []],
  ["headerText", "headerText", []],
] as const;

const brandView = (brand: Brand): object => {
  const { id, name, isDefault, colors, logo, senderName } = brand;
  const logoUri = `/brands/${id}/logos/primary`;
  return defined({
    brandId: id,
    brandName: name,
    brandCompany: filled(senderName),
    // The SDK makes booleans of these three: any text would be true.
    isOverridingCompanyName: senderName !== "",
    isSendingDefault: isDefault,
    isSigningDefault: isDefault,
    brandLanguages: ["en"],
    defaultBrandLanguage: "en",
    colors: colorNames.flatMap(([field, written]) => {
      const value = colors?.[field] ?? "";
      return value === "" ? [] : [{ name: written, value }];
    }),
    logos: logo === undefined ? undefined : { primary: logoUri, secondary: logoUri, email: logoUri },
    landingPages: [],
    emailContent: [],
    links: [],
  });
};

const brandsView = (brands: readonly Brand[]): object => {
  const usual = brands.find(({ isDefault }) => isDefault)?.id;
  return defined({
    ...pageOf({ start: 0, size: brands.length, total: brands.length }),
    brands: brands.map(brandView),
    recipientBrandIdDefault: usual,
    senderBrandIdDefault: usual,
  });
};

const nothing = { type: "array", items: { type: "object" }, examples: [[]] } as const;
const brandSchema = textsAnswer(
  {
    brandId: sampleId,
    brandName: "Example AG",
    brandCompany: "Example AG",
    defaultBrandLanguage: "en",
  },
  {
    isOverridingCompanyName: { type: "boolean", examples: [true] },
    isSendingDefault: { type: "boolean", examples: [true] },
    isSigningDefault: { type: "boolean", examples: [true] },
    brandLanguages: { type: "array", items: { type: "string" }, examples: [["en"]] },
    colors: listOf(textsAnswer({ name: "buttonPrimaryBackground", value: "#0b5d3b" }, {}, ["name", "value"])),
    logos: textsAnswer({
      primary: `/brands/${sampleId}/logos/primary`,
      secondary: `/brands/${sampleId}/logos/primary`,
      email: `/brands/${sampleId}/logos/primary`,
    }),
    ...{ landingPages: nothing, emailContent: nothing, links: nothing },
  },
  ["brandId", "brandName", "isSendingDefault", "isSigningDefault", "colors"],
);
const page = pageAnswer("brands", brandSchema);
const usualIds = textsAnswer({ recipientBrandIdDefault: sampleId, senderBrandIdDefault: sampleId });
const brandsSchema: JsonSchema = {
  ...page,
  properties: { ...Object(page.properties), ...Object(usualIds.properties) },
};

const brandBody = jsonBody<object>({
  schema: looseBody({
    brandName: "What the brand is called.",
    brandCompany: "The name of the sender in mails, if isOverridingCompanyName is not false.",
    isOverridingCompanyName: "Whether brandCompany is the name of the sender.",
    isSendingDefault: "Whether it is the default brand; the same as isSigningDefault.",
    isSigningDefault: "The same as isSendingDefault.",
    colors: "headerBackground, headerText, buttonPrimaryBackground and buttonPrimaryText, each with name and value.",
    brandLanguages: "No effect: pages and emails are in the recipient's language.",
    defaultBrandLanguage: "Without effect.",
  }),
  example: {
    brandName: "Example AG",
    brandCompany: "Example AG",
    isOverridingCompanyName: "true",
    isSendingDefault: "true",
    colors: [
      { name: "headerBackground", value: "#0b5d3b" },
      { name: "buttonPrimaryBackground", value: "#0b5d3b" },
    ],
  },
});

type Settings = MessageInitShape<typeof BrandSettingsSchema>;

/** What a body says of a brand; what it does not say is absent. */
function readBrand(body: Reader): Settings {
  refuseMeaningful(body, ["resources", "landingPages", "emailContent", "links"]);
  const usual = body.flag("isSendingDefault") ?? body.flag("isSigningDefault");
  const isOverriding = body.flag("isOverridingCompanyName");
  const company = isOverriding === false ? "" : body.text("brandCompany");
  return defined({
    name: body.text("brandName"),
    senderName: company,
    isDefault: usual,
    colors: body.has("colors") ? readColors(body) : undefined,
  });
}

function readColors(body: Reader): NonNullable<Settings["colors"]> {
  const colors: Partial<Record<(typeof colorNames)[number][0], string>> = {};
  for (const color of body.objects("colors")) {
    const name = color.text("name")?.trim().toLowerCase() ?? "";
    const found = colorNames.find(([, written, others]) =>
      [written, ...others].some((one) => one.toLowerCase() === name),
    );
    const value = color.text("value")?.trim() ?? "";
    const [, short] = /^#([0-9a-f]{3})$/i.exec(value) ?? [];
    if (found === undefined) {
      const known = colorNames.map(([, written]) => written).join(", ");
      color.problem("name", "NOT_SUPPORTED", `is not supported unless it is one of ${known}`);
    } else if (short !== undefined) colors[found[0]] = `#${[...short].map((digit) => digit + digit).join("")}`;
    else if (value === "" || /^#[0-9a-f]{6}$/i.test(value)) colors[found[0]] = value;
    else color.problem("value", "PATTERN", "must be a color such as #0b5d3b");
  }
  return colors;
}

const paths: readonly (readonly [keyof Settings & string, string])[] = [
  ["name", "name"],
  ["senderName", "sender_name"],
  ["isDefault", "is_default"],
  ["colors", "colors"],
];

const brandErrors = ["BRAND_NAME_EXISTS"] as const;

const logoParam: TextParam = {
  schema: {
    type: "string",
    enum: ["primary", "secondary", "email"],
    description: "A brand has one logo, used for all types.",
    examples: ["primary"],
  },
  names: "logoType",
  otherwise: "BRAND_IMAGE_NOT_FOUND",
};
const ofLogo = {
  notFound: ofBrand,
  texts: { logoType: logoParam },
  path: "/brands/{brandId}/logos/{logoType}",
} as const;
const { LOGO } = BrandImageKind;

export const compatBrandRoutes: readonly Route[] = [
  defineCompatRoute({
    ...read,
    operationId: "compatListBrands",
    method: "GET",
    path: "/brands",
    summary: "List the brands",
    query: compatQuery({
      exclude_distributor_brand: "Without effect: there are none.",
      include_logos: "Without effect: the logos are named.",
    }),
    success: { status: 200, description: "All brands, and the default one.", schema: brandsSchema },
    errors: [],
    call: (request, { sign }) => sign.listBrands({}, onBehalfOf(request)),
    respond: ({ brands }) => jsonReply(200, brandsView(brands)),
  }),
  defineCompatRoute({
    ...admin,
    operationId: "compatCreateBrand",
    method: "POST",
    path: "/brands",
    summary: "Create a brand",
    description:
      "Text and its background need a contrast of at least 4.5:1. resources, landingPages, emailContent and links are refused; set everything else of a brand with /v1/sign/brands.",
    body: brandBody,
    success: { status: 201, description: "The brand, in a list.", schema: brandsSchema },
    errors: [...brandErrors, "BRAND_LIMIT_REACHED"],
    call: (request, { sign }) => sign.createBrand({ settings: readWith(request.body, readBrand) }, onBehalfOf(request)),
    respond: ({ brand }) => jsonReply(201, brandsView([required(brand)])),
  }),
  defineCompatRoute({
    ...admin,
    operationId: "compatDeleteBrands",
    method: "DELETE",
    path: "/brands",
    summary: "Delete brands",
    description: "If one of them doesn't exist, nothing is deleted.",
    body: jsonBody<object>({
      schema: looseBody({ brands: "Each with its brandId." }),
      example: { brands: [{ brandId: sampleId }] },
    }),
    success: { status: 200, description: "The brands that are left.", schema: brandsSchema },
    errors: ["BRAND_NOT_FOUND"],
    call: async (request, { sign }) => {
      const ids = readWith(request.body, (body) =>
        body.objects("brands").map((brand) => brand.text("brandId")?.trim().toLowerCase() ?? ""),
      );
      const [brandId, ...otherBrandIds] = new Set(ids);
      if (brandId !== undefined) {
        if (!isUuid(brandId)) throw new DomainError("BRAND_NOT_FOUND");
        await sign.deleteBrand({ brandId, otherBrandIds }, onBehalfOf(request));
      }
      return sign.listBrands({}, onBehalfOf(request));
    },
    respond: ({ brands }) => jsonReply(200, brandsView(brands)),
  }),
  defineCompatRoute({
    ...read,
    operationId: "compatGetBrand",
    method: "GET",
    path: "/brands/{brandId}",
    summary: "Read a brand",
    notFound: ofBrand,
    success: { status: 200, description: "The brand.", schema: brandSchema },
    errors: [],
    call: (request, { sign }) => sign.getBrand({ brandId: request.params.brandId }, onBehalfOf(request)),
    respond: ({ brand }) => jsonReply(200, brandView(required(brand))),
  }),
  defineCompatRoute({
    ...admin,
    operationId: "compatUpdateBrand",
    method: "PUT",
    path: "/brands/{brandId}",
    summary: "Change a brand",
    description: "Absent members stay as they are; colors are replaced as a whole.",
    notFound: ofBrand,
    query: compatQuery({ replace_brand: "Without effect: what is left out stays." }),
    body: brandBody,
    success: { status: 200, description: "The brand.", schema: brandSchema },
    errors: brandErrors,
    call: (request, { sign }) => {
      const settings = readWith(request.body, readBrand);
      const updateMask = { paths: paths.flatMap(([name, path]) => (settings[name] === undefined ? [] : [path])) };
      return sign.updateBrand({ brandId: request.params.brandId, settings, updateMask }, onBehalfOf(request));
    },
    respond: ({ brand }) => jsonReply(200, brandView(required(brand))),
  }),
  defineCompatRoute({
    ...admin,
    operationId: "compatDeleteBrand",
    method: "DELETE",
    path: "/brands/{brandId}",
    summary: "Delete a brand",
    description: "Everything that uses it gets the default brand.",
    notFound: ofBrand,
    success: { status: 204, description: "The brand was deleted." },
    errors: [],
    call: (request, { sign }) => sign.deleteBrand({ brandId: request.params.brandId }, onBehalfOf(request)),
    respond: () => noContent,
  }),
  defineCompatRoute({
    ...read,
    ...ofLogo,
    operationId: "compatGetBrandLogo",
    method: "GET",
    summary: "Download the logo of a brand",
    ...fileAnswer({ description: "The bytes.", contentType: "image/png", alsoTypes: ["image/jpeg"] }),
    errors: ["RANGE_NOT_SATISFIABLE"],
    call: (request, { sign }) =>
      sign.getBrandImage({ brandId: request.params.brandId, kind: LOGO }, onBehalfOf(request)),
    respond: ({ image, content }, request) => {
      const { contentType, sha256 } = required(image);
      const fileName = contentType === "image/png" ? "logo.png" : "logo.jpg";
      const file = { bytes: content, contentType, fileName, sha256: Buffer.from(sha256).toString("hex") };
      return fileReply({ ...file, rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
    },
  }),
  defineCompatRoute({
    ...admin,
    ...ofLogo,
    operationId: "compatPutBrandLogo",
    method: "PUT",
    summary: "Set the logo of a brand",
    description: "The raw bytes of a PNG or JPEG of at most 300 KB.",
    body: documentBody<object>({
      schema: looseBody({ documentBase64: "The picture in Base64, for those who send JSON." }),
      example: { documentBase64: onePixel },
      raw: "any",
    }),
    success: { status: 200, description: "The brand.", schema: brandSchema },
    errors: ["INVALID_BASE64", "DOCUMENT_TOO_LARGE"],
    call: async (request, { sign }) => {
      const content = request.files[0]?.content ?? "missing";
      if (content === "invalid-base64") throw new DomainError("INVALID_BASE64");
      if (content === "missing" || content.length === 0) {
        const problem = { field: "logoFileBytes", code: "REQUIRED", message: "is required: send a PNG or JPEG" };
        throw new DomainError("VALIDATION_FAILED", { details: [problem] });
      }
      return sign.putBrandImage({ brandId: request.params.brandId, kind: LOGO, content }, onBehalfOf(request));
    },
    respond: ({ brand }) => jsonReply(200, brandView(required(brand))),
  }),
  defineCompatRoute({
    ...admin,
    ...ofLogo,
    operationId: "compatDeleteBrandLogo",
    method: "DELETE",
    summary: "Remove the logo of a brand",
    success: { status: 204, description: "The brand has no such image any more." },
    errors: [],
    call: (request, { sign }) =>
      sign.putBrandImage(
        { brandId: request.params.brandId, kind: LOGO, content: new Uint8Array() },
        onBehalfOf(request),
      ),
    respond: () => noContent,
  }),
];
