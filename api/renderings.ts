import {
  EsignDisclosureSchema,
  RenderingSchema,
  ShownPdf_PageSchema,
  ShownPdfSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { type BrandLook, brandLookSchema } from "./brands.ts";
import { anyObject, choice, count, flag, hash, languageTag, list, number, orNull, text, time, uuid } from "./kinds.ts";
import { given, readOnly } from "./members.ts";
import { nested, shown } from "./resource.ts";

const disclosure = shown(EsignDisclosureSchema, {
  locale: readOnly(languageTag),
  title: readOnly(text()),
  text: readOnly(text(), { description: "One line per paragraph." }),
});

const pdf = shown(ShownPdfSchema, {
  hash: readOnly(hash, { description: "SHA-256 of the file." }),
  size: readOnly(count, { description: "Bytes." }),
  pages: readOnly(list(nested(shown(ShownPdf_PageSchema, { width: readOnly(number()), height: readOnly(number()) }))), {
    description: "Size in points.",
  }),
});

/** A text as it is to be shown. */
export const rendering = shown(RenderingSchema, {
  renderId: readOnly(uuid),
  deploymentKey: readOnly(orNull(text())),
  sessionId: readOnly(orNull(uuid)),
  templateId: readOnly(uuid),
  templateType: readOnly(choice("STATIC", "GENERATED", "CONSENT")),
  versionId: readOnly(uuid),
  revision: readOnly(count, { description: "The revision; 0 for a draft." }),
  label: readOnly(orNull(text())),
  isDraft: readOnly(flag, { description: "True for a preview of an unpublished text." }),
  locale: readOnly(languageTag),
  title: readOnly(text()),
  html: readOnly(text(), { description: "The HTML fragment to show; safe to insert as it is." }),
  contentHash: readOnly(hash),
  renderHash: readOnly(hash, { description: "SHA-256 of html." }),
  noticeText: readOnly(text()),
  buttonText: readOnly(text()),
  declineText: readOnly(text()),
  checkboxText: readOnly(text()),
  purposes: readOnly(list(anyObject)),
  disclosure: readOnly(orNull(nested(disclosure)), {
    description:
      "The disclosure to show before the text if the policy has esignDisclosure. Report that it was visible to its end with a DISPLAYED event with the target esignDisclosure.",
  }),
  pdf: readOnly(orNull(nested(pdf)), {
    description:
      "For a text that is a PDF: the file to show page by page. html then has the text of the file, one section per page, for people who can't see it. A session's file is at `…/pdf` below its renderUrl.",
  }),
  documents: readOnly(list(anyObject), {
    description: "Documents of a STATIC text: name, url, contentHash and mustRead.",
  }),
  changes: readOnly(orNull(anyObject), {
    description:
      "For a session whose policy has showChanges and whose user accepted an earlier text. `from` names that text: versionId, revision, label, contentHash. `changeSummary` is written by the author. Show `html` above the text; it is safe to insert as it is. `hash` is its hash.",
    example: {
      from: {
        versionId: "01961234-5678-7abc-8def-0123456789ab",
        revision: 1,
        label: "1.0",
        contentHash: `sha256:${"0123456789abcdef".repeat(4)}`,
      },
      changeSummary: "Runs for two years.",
      html: '<p class="assent-changed assent-as-p">The contract runs for <del>one year</del><ins>two years</ins>.</p>',
      hash: `sha256:${"fedcba9876543210".repeat(4)}`,
    },
  }),
  policy: readOnly(anyObject, {
    default: {},
    description: "The policy flags to respect when you show the text.",
  }),
  verification: readOnly(anyObject, { default: {} }),
  displayMode: readOnly(orNull(choice("INLINE", "MODAL", "LINK", "FULL_PAGE"))),
  theme: readOnly(anyObject, { default: {} }),
  brand: given<BrandLook | null>(
    { anyOf: [brandLookSchema, { type: "null" }] },
    {
      description: "The design where the theme doesn't set it: the deployment's brand, or the default one.",
    },
  ),
  alreadyAccepted: readOnly(flag),
  renderToken: readOnly(orNull(text()), { description: "Proves what was shown; send it with the acceptance." }),
  renderedAt: readOnly(orNull(time)),
  expiresAt: readOnly(orNull(time)),
});
