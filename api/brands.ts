import {
  type BrandColors,
  BrandColorsSchema,
  type BrandImage,
  BrandImageSchema,
  type Brand as BrandMessage,
  BrandSchema,
  BrandTextSchema,
  CreateBrandRequestSchema,
  PutBrandImageRequestSchema,
  UpdateBrandRequestSchema,
} from "#gen/assent/sign/v1/brands_pb.ts";
import { choice, count, digest, flag, languageTag, list, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, type CreateOf, given, optional, readOnly, required, requiredApart } from "./members.ts";
import { closed, nested, resource, shown } from "./resource.ts";

const color = (description: string, example: string) =>
  optional(orNull(text(7, 7, { pattern: "^#[0-9a-fA-F]{6}$" })), { description, example });

const colors = resource(BrandColorsSchema, {
  button: color("Of the main buttons; null for that of the product.", "#0b5d3b"),
  buttonText: color("What they say; black or white, whichever reads better, when absent.", "#ffffff"),
  header: color("At the top of pages and mails.", "#0b5d3b"),
  headerText: color("What stands there; black or white when absent.", "#ffffff"),
} satisfies Record<Exclude<keyof BrandColors, `$${string}`>, unknown>);

const image = shown(BrandImageSchema, {
  sha256: readOnly(digest, { description: "Of the bytes.", example: "0123456789abcdef".repeat(4) }),
  contentType: readOnly(choice("image/png", "image/jpeg")),
  width: readOnly(count, { description: "Pixels.", example: 320 }),
  height: readOnly(count, { description: "Pixels.", example: 80 }),
  bytes: readOnly(count, { example: 4_096 }),
});

/** Mails that a brand has words for. */
const brandMails = ["invitation", "reminder", "expiring", "completed", "declined", "voided", "expired"] as const;

const mailText = resource(BrandTextSchema, {
  locale: required(languageTag),
  mail: required(choice(...brandMails), { description: "What the mail is about." }),
  subject: optional(orNull(text(0, 150)), {
    description: "Null for that of the product. Has to have {subject}, what the agreement is called.",
    example: "{sender} has sent you {subject}",
  }),
  intro: optional(orNull(text(0, 2_000)), {
    description:
      "Comes before what every mail says: who asks, and for what. {name}, {sender} and {subject} stand for what they name; {date} for the end in mails that ask, {signer} for who signs in person there, {reason} for the reason in those of agreements that were declined or withdrawn.",
    example: "Welcome to Example AG, {name}.",
  }),
});

/** How pages and mails of an organization look. */
export const brand = resource(
  BrandSchema,
  {
    id: readOnly(uuid),
    name: required(text(1, 100), { description: "Unique within the organization.", example: "Example AG" }),
    isDefault: optional(flag, {
      null: "create",
      description:
        "Whether it holds for all that has chosen no brand. At most one does: it takes the place of the one before.",
      example: true,
    }),
    colors: optional(nested(colors), {
      null: "both",
      description: "A text and what is behind it need a contrast of 4.5:1 (WCAG 2.2).",
    }),
    logo: readOnly(orNull(nested(image)), { description: "Null without one.", example: null }),
    favicon: readOnly(orNull(nested(image)), { description: "Null without one.", example: null }),
    font: optional(choice("sans", "serif"), { null: "both", description: "sans when absent." }),
    footer: optional(orNull(text(0, 500)), {
      at: "footerText",
      description: "Below pages and mails.",
      example: "Example AG, 1 Example Street, Berlin",
    }),
    senderName: optional(orNull(text(0, 100)), {
      description: "The name beside the address that mails come from; null for that of the installation.",
      example: "Example AG",
    }),
    replyTo: optional(orNull(text(0, 320)), {
      description: "Where answers to mails go; null for where mails come from.",
      example: "contracts@example.com",
    }),
    texts: optional(list(nested(mailText)), {
      null: "both",
      description: "What mails of one kind say in one language, instead of the words of the product.",
    }),
    createdAt: readOnly(time),
    modifiedAt: readOnly(time),
  },
  { create: CreateBrandRequestSchema, change: UpdateBrandRequestSchema, within: "settings", also: closed },
);

/** What pages show of a brand; neither what the organization calls it nor what its mails say. */
const brandLook = shown(BrandSchema, {
  name: readOnly(orNull(text()), { at: "senderName", description: "Beside the logo, or in its place." }),
  colors: readOnly(nested(colors)),
  font: readOnly(choice("sans", "serif")),
  footer: readOnly(orNull(text()), { at: "footerText" }),
  logoUrl: given<string | null>({ type: ["string", "null"] }),
  faviconUrl: given<string | null>({ type: ["string", "null"] }),
});
export type BrandLook = AnswerOf<typeof brandLook.table>;
export const brandLookSchema = brandLook.schemas.answer;

/** Pages load pictures from where they are themselves. */
export const brandLookOf = (brand: BrandMessage, organizationId: string, base = ""): BrandLook =>
  brandLook.answer(brand, {
    logoUrl: pictureUrl(brand.logo, organizationId, base),
    faviconUrl: pictureUrl(brand.favicon, organizationId, base),
  });

const pictureUrl = (image: BrandImage | undefined, organizationId: string, base: string): string | null =>
  image === undefined
    ? null
    : `${base}/brand-images/${organizationId}/${Array.from(image.sha256, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

export const brandPicture = resource(PutBrandImageRequestSchema, {
  content: requiredApart<string>({
    type: "string",
    minLength: 1,
    description: "A PNG or JPEG in Base64: a logo of at most 300 KB, or a square favicon of at most 100 KB.",
  }),
});

export type Brand = AnswerOf<typeof brand.table>;
export type BrandBody = CreateOf<typeof brand.table>;
