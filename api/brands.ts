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
  button: color("The color of the main buttons; null for the default.", "#0b5d3b"),
  buttonText: color("The color of their text. Default: black or white, whichever is easier to read.", "#ffffff"),
  header: color("At the top of pages and mails.", "#0b5d3b"),
  headerText: color("The color of text on it. Default: black or white.", "#ffffff"),
} satisfies Record<Exclude<keyof BrandColors, `$${string}`>, unknown>);

const image = shown(BrandImageSchema, {
  sha256: readOnly(digest, { description: "SHA-256 of the bytes.", example: "0123456789abcdef".repeat(4) }),
  contentType: readOnly(choice("image/png", "image/jpeg")),
  width: readOnly(count, { description: "Pixels.", example: 320 }),
  height: readOnly(count, { description: "Pixels.", example: 80 }),
  bytes: readOnly(count, { example: 4_096 }),
});

/** Mails that a brand has words for. */
const brandMails = ["invitation", "reminder", "expiring", "completed", "declined", "voided", "expired"] as const;

const mailText = resource(BrandTextSchema, {
  locale: required(languageTag),
  mail: required(choice(...brandMails), { description: "The kind of email that the text is for." }),
  subject: optional(orNull(text(0, 150)), {
    description: "The subject; null for the default. It must contain {subject}, the name of the agreement.",
    example: "{sender} has sent you {subject}",
  }),
  intro: optional(orNull(text(0, 2_000)), {
    description:
      "The introduction, shown before the standard text. Placeholders: {name}, {sender} and {subject}; {date} is the deadline in emails that ask; {signer} is the person who signs in person; {reason} is the reason in emails about declined or voided agreements.",
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
        "Whether it is the default brand, used wherever no brand is chosen. Setting it replaces the previous default.",
      example: true,
    }),
    colors: optional(nested(colors), {
      null: "both",
      description: "Text and its background need a contrast of at least 4.5:1 (WCAG 2.2).",
    }),
    logo: readOnly(orNull(nested(image)), { description: "Null if there is none.", example: null }),
    favicon: readOnly(orNull(nested(image)), { description: "Null if there is none.", example: null }),
    font: optional(choice("sans", "serif"), { null: "both", description: "Default: sans." }),
    footer: optional(orNull(text(0, 500)), {
      at: "footerText",
      description: "The footer of pages and emails.",
      example: "Example AG, 1 Example Street, Berlin",
    }),
    senderName: optional(orNull(text(0, 100)), {
      description: "The sender name of emails; null for that of the installation.",
      example: "Example AG",
    }),
    replyTo: optional(orNull(text(0, 320)), {
      description: "The reply-to address of emails; null for the sender's address.",
      example: "contracts@example.com",
    }),
    attachFiles: optional(flag, {
      null: "both",
      description:
        "Whether the mail that tells everyone of the completion has the sealed documents and the certificate with it. Where they have more than 10 MiB altogether, it says so and has the link alone.",
    }),
    texts: optional(list(nested(mailText)), {
      null: "both",
      description: "Texts for one kind of email in one language, replacing the default wording.",
    }),
    createdAt: readOnly(time),
    modifiedAt: readOnly(time),
  },
  { create: CreateBrandRequestSchema, change: UpdateBrandRequestSchema, within: "settings", also: closed },
);

/** What pages show of a brand; neither what the organization calls it nor what its mails say. */
const brandLook = shown(BrandSchema, {
  name: readOnly(orNull(text()), {
    at: "senderName",
    description: "The name shown next to the logo, or instead of it.",
  }),
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
    description: "A PNG or JPEG in Base64: a logo of up to 300 KB, or a square favicon of up to 100 KB.",
  }),
});

export type Brand = AnswerOf<typeof brand.table>;
export type BrandBody = CreateOf<typeof brand.table>;
