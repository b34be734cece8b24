import {
  type BrandColors,
  BrandColorsSchema,
  type BrandImage,
  BrandImageSchema,
  type Brand as BrandMessage,
  BrandSchema,
  BrandTextSchema,
  CreateBrandRequestSchema,
  CreatePageHostRequestSchema,
  CreateSenderDomainRequestSchema,
  PageHostSchema,
  PreviewBrandMailResponseSchema,
  PutBrandImageRequestSchema,
  SenderDomainSchema,
  SenderRecordSchema,
  UpdateBrandRequestSchema,
} from "#gen/assent/sign/v1/brands_pb.ts";
import { choice, count, digest, flag, languageTag, list, orNull, text, time, uuid } from "./kinds.ts";
import {
  type AnswerOf,
  type CreateOf,
  computed,
  given,
  optional,
  readOnly,
  required,
  requiredApart,
} from "./members.ts";
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
export const brandMails = ["invitation", "reminder", "expiring", "completed", "declined", "voided", "expired"] as const;

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

/** A mail as a brand makes it look. */
export const mailPreview = shown(PreviewBrandMailResponseSchema, {
  fromName: readOnly(orNull(text()), {
    description: "Beside the address that mails come from; null for that of the installation.",
  }),
  replyTo: readOnly(orNull(text()), { description: "Null for where mails come from." }),
  subject: readOnly(text()),
  text: readOnly(text()),
  html: readOnly(text(), { description: "With the logo in it. Its links lead nowhere." }),
});

const senderRecord = shown(SenderRecordSchema, {
  purpose: readOnly(choice("proof", "dkim", "spf", "dmarc")),
  type: computed({ type: "string", enum: ["TXT"] }, () => "TXT"),
  name: readOnly(text(), { example: "_assent.mail.example.com" }),
  value: readOnly(text(), {
    description: "Of spf, what the record has to name; others may stand beside it.",
    example: "assent-domain=0123456789abcdef0123456789abcdef",
  }),
  required: readOnly(flag, { at: "isRequired", description: "Whether the domain is only verified with it." }),
  status: readOnly(choice("unchecked", "found", "missing", "wrong", "unreachable"), {
    description: "unreachable when no name server answered.",
  }),
});

/** A domain that mails of the organization come from. */
export const senderDomain = resource(
  SenderDomainSchema,
  {
    id: readOnly(uuid),
    domain: required(text(1, 253), { description: "Unique within the organization.", example: "mail.example.com" }),
    mailbox: optional(text(1, 64), {
      null: "create",
      description: { create: "What comes before the @; agreements when absent." },
      example: "agreements",
    }),
    status: readOnly(choice("pending", "verified", "lost"), {
      description: "lost when it was verified and its records are gone; it is verified again once they are back.",
    }),
    isSender: readOnly(flag, {
      description: "Whether mails come from it: of the verified ones, the one that was added first.",
    }),
    records: readOnly(list(nested(senderRecord)), { description: "To set in the DNS of the domain." }),
    checkedAt: readOnly(orNull(time), { description: "When its records were last answered for." }),
    verifiedAt: readOnly(orNull(time), { description: "Since when it has been verified." }),
    createdAt: readOnly(time),
  },
  { create: CreateSenderDomainRequestSchema, also: closed },
);
export type SenderDomain = AnswerOf<typeof senderDomain.table>;

/** A host name that pages of the organization are at. */
export const pageHost = resource(
  PageHostSchema,
  {
    id: readOnly(uuid),
    host: required(text(1, 253), {
      description: "Unique within the organization.",
      example: "agreements.example.com",
    }),
    status: readOnly(choice("pending", "verified", "lost"), {
      description: "lost when it was verified and its record is gone; it is verified again once it is back.",
    }),
    isUsed: readOnly(flag, {
      description: "Whether links in emails lead to it: of the verified ones, the one that was added first.",
    }),
    records: readOnly(list(nested(senderRecord)), { description: "To set in the DNS of the host." }),
    checkedAt: readOnly(orNull(time), { description: "When its record was last answered for." }),
    verifiedAt: readOnly(orNull(time), { description: "Since when it has been verified." }),
    createdAt: readOnly(time),
  },
  { create: CreatePageHostRequestSchema, also: closed },
);
export type PageHost = AnswerOf<typeof pageHost.table>;

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

export type MailPreview = AnswerOf<typeof mailPreview.table>;
export type Brand = AnswerOf<typeof brand.table>;
export type BrandBody = CreateOf<typeof brand.table>;
