import { contrastOf, contrastText, leastContrast, readableOn } from "#platform/contrast.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { ImageFault, type ImageLimits, readWholeImage, withoutPackedParts } from "#platform/image-file.ts";
import { canonicalLocale } from "#platform/locale.ts";
import { isEmailAddress } from "#platform/mail/mail.ts";
import { invalid, problem, textProblems } from "../agreement/problems.ts";
import type { BrandedMail, MailKind } from "../send/mails.ts";

/** How pages and mails look to those who are asked to agree. */
export interface Brand extends BrandSettings {
  readonly id: string;
  readonly logo: BrandImage | null;
  readonly favicon: BrandImage | null;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

/** What an organization says of a brand. */
export interface BrandSettings {
  readonly name: string;
  readonly isDefault: boolean;
  readonly colors: BrandColors;
  readonly font: BrandFont;
  readonly footerText: string;
  readonly senderName: string;
  readonly replyTo: string;
  /** Whether the mail that tells of the completion has the sealed files with it. */
  readonly attachFiles: boolean;
  readonly texts: readonly BrandText[];
}

/** Fonts that every browser and mail program has. */
export type BrandFont = "sans" | "serif";

/** As #rrggbb; empty for those of the product. */
export interface BrandColors {
  readonly button: string;
  readonly buttonText: string;
  readonly header: string;
  readonly headerText: string;
}

/** What mails of one kind say in one language. */
export interface BrandText {
  /** BCP 47. */
  readonly locale: string;
  readonly mail: BrandedMail;
  readonly subject: string;
  readonly intro: string;
}

export interface BrandImage {
  readonly sha256: Buffer;
  readonly contentType: "image/png" | "image/jpeg";
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** A brand with the bytes of its logo. */
export interface Branded {
  readonly brand: Brand;
  readonly logo: Uint8Array | undefined;
}

export type BrandImageKind = "logo" | "favicon";

export const noSettings: BrandSettings = {
  name: "",
  isDefault: false,
  colors: { button: "", buttonText: "", header: "", headerText: "" },
  font: "sans",
  footerText: "",
  senderName: "",
  replyTo: "",
  attachFiles: false,
  texts: [],
};

/** The settings in one form: colours in lower case and with a text for each, tags as they are written, one of each text. */
export function checkedSettings(given: BrandSettings): BrandSettings {
  const settings: BrandSettings = {
    ...given,
    name: given.name.trim(),
    senderName: given.senderName.trim(),
    replyTo: given.replyTo.trim().normalize("NFC"),
    footerText: given.footerText.trim(),
    colors: completed(given.colors),
    texts: given.texts.map((text) => ({ ...text, locale: canonicalLocale(text.locale) ?? text.locale })),
  };
  const problems = [
    ...(settings.name === "" ? [problem("name", "REQUIRED", "must not be empty")] : []),
    ...textProblems(settings.name, 100, "name"),
    ...textProblems(settings.senderName, 100, "senderName"),
    ...textProblems(settings.footerText, 500, "footerText"),
    ...(settings.replyTo === "" || isEmailAddress(settings.replyTo)
      ? []
      : [problem("replyTo", "INVALID_EMAIL", "must be an email address")]),
    ...senderProblems(settings.senderName),
    ...colorProblems(settings.colors),
    ...settings.texts.flatMap((text, index) => mailTextProblems(text, settings.texts.slice(0, index), index)),
  ];
  if (problems.length > 0) throw invalid(...problems);
  return settings;
}

function completed({ button, buttonText, header, headerText }: BrandColors): BrandColors {
  return {
    button: button.toLowerCase(),
    buttonText: (buttonText || (button && readableOn(button))).toLowerCase(),
    header: header.toLowerCase(),
    headerText: (headerText || (header && readableOn(header))).toLowerCase(),
  };
}

const pairs = [
  ["button", "buttonText"],
  ["header", "headerText"],
] as const;

const colorProblems = (colors: BrandColors): FieldProblem[] =>
  pairs.flatMap(([behind, text]) => {
    const [background, foreground] = [colors[behind], colors[text]];
    const field = `colors.${text}`;
    if (foreground === "") return [];
    if (background === "") return [problem(field, "REQUIRES", `needs colors.${behind}, which it is read on`)];
    const contrast = contrastOf(foreground, background);
    if (contrast >= leastContrast) return [];
    const measured = `${foreground} on ${background} has a contrast of ${contrastText(contrast)}:1`;
    return [problem(field, "LOW_CONTRAST", `${measured}; at least ${leastContrast}:1 is needed to be read (WCAG 2.2)`)];
  });

/** An address in the name is what people see of a sender, whatever the real one is. */
const senderProblems = (name: string): FieldProblem[] =>
  /[@<>"]|https?:|www\./i.test(name)
    ? [problem("senderName", "NOT_ALLOWED", "must be a name, without an address or a link")]
    : [];

/** What the words of the product are filled with, which those of a brand may use as well. */
const everywhere = ["name", "sender", "subject"];
const placeholders: Readonly<Record<BrandedMail, readonly string[]>> = {
  invitation: [...everywhere, "date", "signer"],
  reminder: [...everywhere, "date", "signer"],
  expiring: [...everywhere, "date", "signer"],
  completed: everywhere,
  declined: [...everywhere, "reason"],
  voided: [...everywhere, "reason"],
  expired: everywhere,
};

function mailTextProblems(text: BrandText, earlier: readonly BrandText[], index: number): FieldProblem[] {
  const { locale, mail, subject, intro } = text;
  const at = `texts[${index}]`;
  if (canonicalLocale(locale) === undefined) {
    return [problem(`${at}.locale`, "INVALID_LOCALE", "must be a BCP 47 language tag such as en or pt-BR")];
  }
  if (earlier.some((one) => one.locale === locale && one.mail === mail)) {
    return [problem(at, "DUPLICATE", `is the second text of ${mail} in ${locale}`)];
  }
  return [
    ...(subject === "" && intro === "" ? [problem(at, "REQUIRED", "needs a subject or an intro")] : []),
    ...textProblems(subject, 150, `${at}.subject`),
    ...textProblems(intro, 2_000, `${at}.intro`),
    ...unknownPlaceholders(subject, mail, `${at}.subject`),
    ...unknownPlaceholders(intro, mail, `${at}.intro`),
    ...(subject === "" || subject.includes("{subject}")
      ? []
      : [problem(`${at}.subject`, "REQUIRES", "must have {subject}: people have to see what a mail is about")]),
  ];
}

function unknownPlaceholders(text: string, mail: BrandedMail, field: string): FieldProblem[] {
  const known = placeholders[mail];
  const unknown = [...text.matchAll(/\{(\w*)\}/g)].filter(([, name = ""]) => !known.includes(name));
  if (unknown.length === 0) return [];
  const said = `has ${unknown.map(([whole]) => whole).join(", ")}`;
  return [problem(field, "UNKNOWN_PLACEHOLDER", `${said}; ${mail} has ${known.map((name) => `{${name}}`).join(", ")}`)];
}

/** What mails of this kind say in a language: in the tag itself, or else in its language. */
export function textOf({ texts }: Pick<Brand, "texts">, mail: MailKind, tag: string): BrandText | undefined {
  const wanted = (canonicalLocale(tag || "en") ?? "en").toLowerCase();
  const own = texts.filter((text) => text.mail === mail);
  const byTag = (locale: string) => own.find((text) => text.locale.toLowerCase() === locale);
  const parts = wanted.split("-");
  return parts.map((_, index) => byTag(parts.slice(0, parts.length - index).join("-"))).find((found) => found);
}

interface Bounds extends ImageLimits {
  readonly maxBytes: number;
}

/** Mails carry the logo with them. */
const bounds: Readonly<Record<BrandImageKind, Bounds>> = {
  logo: { maxBytes: 300 * 1024, maxPixels: 4_000_000, maxSide: 4_000 },
  favicon: { maxBytes: 100 * 1024, maxPixels: 262_144, maxSide: 512 },
};

/** A picture as it is kept, with its facts; throws VALIDATION_FAILED for what is none, or too large. */
export async function readBrandImage(
  kind: BrandImageKind,
  content: Uint8Array,
): Promise<{ readonly facts: Omit<BrandImage, "sha256">; readonly kept: Uint8Array }> {
  const { maxBytes, ...limits } = bounds[kind];
  if (content.length > maxBytes) {
    throw invalid(problem("content", "TOO_LARGE", `must have at most ${maxBytes / 1024} KB`));
  }
  const { contentType, width, height } = await readWholeImage(content, limits).catch((error: unknown) => {
    if (error instanceof ImageFault) throw invalid(problem("content", "NOT_ALLOWED", error.message));
    throw error;
  });
  if (kind === "favicon" && width !== height) {
    throw invalid(problem("content", "NOT_SQUARE", `must be as wide as high, and is ${width} × ${height}`));
  }
  const kept = withoutPackedParts(content);
  return { facts: { contentType, width, height, bytes: kept.length }, kept };
}
