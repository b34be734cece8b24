import {
  type VersionChanges as ChangesMessage,
  type UpdateVersionRequest,
  ContentFormat as WireFormat,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { parseLocale } from "../domain/locale.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { unstorableTexts } from "../domain/text.ts";
import { purposeTextProblems } from "../domain/version.ts";
import type { VersionChanges } from "../domain/version-changes.ts";
import { parseFormat, parseTexts, parseTime } from "./version-input.ts";

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED. */
export function parseVersionChanges(request: UpdateVersionRequest): VersionChanges {
  const message = request.changes;
  const paths = request.updateMask?.paths ?? [];
  if (message === undefined) throw invalid(problem("changes", "REQUIRED", "must be given"));
  const known = paths.filter(isKnown);
  const unknown = paths.filter((path) => !isKnown(path));
  refuse(unknown.map((path) => problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which cannot be changed`)));
  const changes: VersionChanges = {};
  for (const path of known) {
    const { singleTexts, ...change }: VersionChanges = readers[path](message);
    Object.assign(changes, change, { singleTexts: { ...changes.singleTexts, ...singleTexts } });
  }
  checkTexts(changes);
  return changes;
}

/** Clients give the texts beside the other fields, so the problems name them without a prefix. */
function checkTexts({ texts, singleTexts, ...plain }: VersionChanges): void {
  const given = { ...texts, ...singleTexts };
  refuse([...unstorableTexts("", { ...plain, ...given }), ...purposeTextProblems(given.purposeTexts ?? {})]);
}

type Reader = (changes: ChangesMessage) => VersionChanges;

const readers = {
  locale: (changes) => ({ locale: parseLocale("locale", required("locale", changes.locale)) }),
  title: (changes) => ({ title: changes.title ?? null }),
  content: (changes) => ({ content: required("content", changes.content) }),
  format: (changes) => ({ format: parseFormat(changes.format ?? WireFormat.UNSPECIFIED) }),
  change_summary: (changes) => ({ changeSummary: changes.changeSummary ?? null }),
  effective_at: (changes) => ({ effectiveAt: parseTime("effectiveAt", changes.effectiveAt) }),
  texts: (changes) => ({ texts: parseTexts(changes.texts) }),
  "texts.consent_text": single("consentText"),
  "texts.button_text": single("buttonText"),
  "texts.decline_text": single("declineText"),
  "texts.checkbox_text": single("checkboxText"),
  "texts.link_text": single("linkText"),
  "texts.purpose_texts": single("purposeTexts"),
} satisfies Record<string, Reader>;

const isKnown = (path: string): path is keyof typeof readers => Object.hasOwn(readers, path);

function single(name: keyof NonNullable<VersionChanges["texts"]>): Reader {
  return (changes) => ({ singleTexts: { [name]: parseTexts(changes.texts)[name] } });
}

function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalid(problem(field, "REQUIRED", "cannot be cleared"));
  return value;
}
