import type { TabInput } from "#api/compat-tabs.ts";
import { TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Reader } from "./reader.ts";
import type { RecipientInit } from "./recipients.ts";

/** A field that a document's HTML asks for, as a tab at the text that stands in its place. */
interface HtmlField {
  /** Lower case; empty: of the first recipient. */
  readonly role: string;
  readonly tab: TabInput;
}

/** Fields of the HTML of one request. */
export interface HtmlFields {
  readonly found: HtmlField[];
}

/** By the name of the element, or by `data-ds-type` of an input. */
const kinds: ReadonlyMap<string, readonly [name: string, type: TabType]> = new Map([
  ["ds-signature", ["signature", TabType.SIGNATURE]],
  ["text", ["text", TabType.TEXT]],
  ["number", ["number", TabType.NUMBER]],
  ["date", ["date", TabType.DATE]],
  ["email", ["email", TabType.EMAIL]],
  ["checkbox", ["checkbox", TabType.CHECKBOX]],
]);

/** What an element may have without being changed in its meaning. */
const understood: ReadonlySet<string> = new Set([
  "data-ds-role",
  "data-ds-type",
  "class",
  "style",
  "id",
  "name",
  "type",
]);

/**
 * The HTML of a definition with a text in place of each field, which is added to those that were found. Fields that
 * cannot be made are a problem, as all are where none can be given to a recipient.
 */
export function readHtml(definition: Reader | undefined, fields: HtmlFields | undefined): string | undefined {
  const html = definition?.text("source");
  if (definition === undefined || html === undefined) return undefined;
  const withTexts =
    fields === undefined
      ? html
      : html.replaceAll(/<(ds-[a-z-]+|input)\b([^<>]*)>/gi, (element, name: string, attributes: string) => {
          const field = fieldOf(name.toLowerCase(), attributes, fields.found.length + 1);
          if (field === undefined) return element;
          fields.found.push(field);
          return field.tab.anchor?.text ?? element;
        });
  const rest = withTexts.replaceAll(/<\/ds-signature\s*>/gi, "");
  const left = /<ds-[a-z-]+|\sdata-ds-[a-z-]+/i.exec(rest)?.[0].trim().replace("<", "");
  if (left !== undefined) {
    definition.problem("source", "NOT_SUPPORTED", `has a field or section that is not supported (${left}): give a tab`);
  }
  return rest;
}

function fieldOf(name: string, written: string, number: number): HtmlField | undefined {
  const found = [...written.matchAll(/([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  const attributes = new Map(found.map(([, key = "", one, other]) => [key.toLowerCase(), (one ?? other ?? "").trim()]));
  if ([...attributes.keys()].some((key) => !understood.has(key))) return undefined;
  const kind = kinds.get(name === "input" ? (attributes.get("data-ds-type")?.toLowerCase() ?? "") : name);
  if (kind === undefined) return undefined;
  const [label, type] = kind;
  const text = `[[${label} ${number}]]`;
  const tab = { type, label: `${label} ${number}`, anchor: { text, caseSensitive: true } };
  return { role: attributes.get("data-ds-role")?.toLowerCase() ?? "", tab };
}

/** Gives the fields to the recipients with their roles. A role that no one has is a problem. */
export function withHtmlFields(
  recipients: readonly RecipientInit[],
  { found }: HtmlFields,
  definition: Reader,
): RecipientInit[] {
  const ownerOf = ({ role }: HtmlField): number =>
    role === "" ? 0 : recipients.findIndex(({ roleName }) => roleName?.trim().toLowerCase() === role);
  for (const field of found) {
    if (recipients[ownerOf(field)] !== undefined) continue;
    const whose = field.role === "" ? "which needs a recipient" : `but no recipient has the roleName '${field.role}'`;
    definition.problem("documents", "NOT_SUPPORTED", `has a field in HTML (${field.tab.label}), ${whose}`);
  }
  return recipients.map((recipient, index) => {
    const own = found.filter((field) => ownerOf(field) === index).map(({ tab }) => tab);
    return own.length === 0
      ? recipient
      : ({ ...recipient, tabs: [...(recipient.tabs ?? []), ...own] } as RecipientInit);
  });
}
