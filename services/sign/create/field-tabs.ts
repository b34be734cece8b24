import type { FieldProblem } from "#platform/errors.ts";
import type { Recipient } from "../agreement/agreement.ts";
import type { DecisionContext } from "../agreement/change.ts";
import type { CheckedFile, FormTabs, TabDefinition } from "../agreement/definition.ts";
import { invalid, problem, refuse } from "../agreement/problems.ts";
import { maxTabs, type Tab } from "../agreement/tab.ts";
import { newTab } from "./new-tabs.ts";

type FormFile = FormTabs & Pick<CheckedFile, "documentId">;

/**
 * Gives recipients the tabs that form fields of these files became. A recipient's own tab that has the name of a field
 * as its label and no place yet takes the place and the value of that field; what the tab says itself counts. A field
 * of which the document has a tab already becomes no other one, so that a repeated upload adds nothing. Throws
 * VALIDATION_FAILED when there is nobody whose tabs the rest could become.
 */
export function withFieldTabs(
  recipients: readonly Recipient[],
  files: readonly Pick<CheckedFile, "documentId" | "form">[],
  context: Pick<DecisionContext, "newId">,
): readonly Recipient[] {
  const problems: FieldProblem[] = [];
  let given = recipients;
  for (const [index, { documentId, form }] of files.entries()) {
    if (form === undefined) continue;
    const file = { documentId, ...form };
    const { placed, known } = placeWaiting(given, file, context);
    const others = file.tabs.filter(({ label = "" }) => !known.has(label));
    const owner = ownerOf(placed, file);
    if (others.length > 0 && owner === undefined) problems.push(nobody(file, `documents[${index}]`));
    given = placed.map((recipient) => (recipient === owner ? withTabs(recipient, others, file, context) : recipient));
  }
  refuse(problems);
  if (given.some(({ tabs }, index) => tabs.length > maxTabs && tabs !== recipients[index]?.tabs)) {
    throw invalid(problem("documents", "TOO_MANY", `must have at most ${maxTabs} form fields for a recipient`));
  }
  return given;
}

const mayFill: ReadonlySet<Recipient["role"]> = new Set(["signer", "in-person-signer"]);

/** The recipient that is named, or the first who signs. */
function ownerOf(recipients: readonly Recipient[], { recipientId: wanted }: FormFile): Recipient | undefined {
  const able = recipients.filter(({ role }) => mayFill.has(role));
  if (wanted !== "") return able.find(({ recipientId }) => recipientId === wanted);
  return able.toSorted((a, b) => a.routingOrder - b.routingOrder)[0];
}

const nobody = ({ recipientId }: FormFile, field: string): FieldProblem =>
  recipientId === ""
    ? problem(`${field}.pdfFields`, "REQUIRED", "needs a signer, to whom its form fields are assigned")
    : problem(`${field}.pdfFieldsRecipientId`, "UNKNOWN_RECIPIENT", "must be the recipientId of a signer");

/** After the tabs that have an order already. */
function withTabs(
  recipient: Recipient,
  definitions: readonly TabDefinition[],
  { documentId }: FormFile,
  context: Pick<DecisionContext, "newId">,
): Recipient {
  const last = Math.max(0, ...recipient.tabs.map(({ tabOrder }) => tabOrder));
  const made = definitions.map((definition) =>
    newTab({ ...definition, documentId, tabOrder: last + (definition.tabOrder ?? 0) }, "documents", context),
  );
  return { ...recipient, tabs: [...recipient.tabs, ...made] };
}

interface Placed {
  readonly placed: readonly Recipient[];
  /** The labels of fields of which the document has a tab. */
  readonly known: ReadonlySet<string>;
}

/** Places the tabs that wait for a field of this document. */
function placeWaiting(
  recipients: readonly Recipient[],
  { documentId, tabs }: FormFile,
  context: Pick<DecisionContext, "newId">,
): Placed {
  const known = new Set<string>();
  const placed = recipients.map((recipient): Recipient => {
    const after = recipient.tabs.flatMap((tab): readonly Tab[] => {
      if (!waitsFor(tab, documentId)) {
        if (tab.documentId === documentId) known.add(tab.label);
        return [tab];
      }
      const fields = tabs.filter(({ label = "" }) => isNamed(tab.label, label));
      for (const { label = "" } of fields) known.add(label);
      return fields.length === 0 ? [tab] : fields.map((field, at) => placedAt(tab, field, { documentId, at, context }));
    });
    const isSame = after.every((tab, at) => tab === recipient.tabs[at]);
    return isSame ? recipient : { ...recipient, tabs: after };
  });
  return { placed, known };
}

/** A tab at the very corner of a page was given no place. */
const waitsFor = (tab: Tab, documentId: string): boolean =>
  tab.anchor === null &&
  tab.buttons.every(({ anchor, x, y }) => anchor === null && x === 0 && y === 0) &&
  (tab.documentId === null || tab.documentId === documentId) &&
  tab.x === 0 &&
  tab.y === 0;

/** A label may begin or end with `\*`, which stands for anything. */
function isNamed(label: string, name: string): boolean {
  const [begins, ends] = [label.startsWith("\\*"), label.endsWith("\\*")];
  if (!begins && !ends) return label === name;
  const core = label.slice(begins ? 2 : 0, ends ? -2 : undefined);
  if (core === "") return false;
  if (begins && ends) return name.includes(core);
  return begins ? name.endsWith(core) : name.startsWith(core);
}

interface PlaceOptions {
  readonly documentId: string;
  /** Which of the places of the field it is: the first one keeps the id of the tab. */
  readonly at: number;
  readonly context: Pick<DecisionContext, "newId">;
}

function placedAt(tab: Tab, field: TabDefinition, { documentId, at, context }: PlaceOptions): Tab {
  const made = newTab({ ...field, documentId }, "documents", context);
  const isSameType = made.type === tab.type;
  const value = tab.value === "" || tab.value === "false" ? (isSameType ? made.value : tab.value) : tab.value;
  return {
    ...tab,
    ...{ documentId, label: made.label, tabId: at === 0 ? tab.tabId : made.tabId },
    ...{ page: made.page, x: made.x, y: made.y, width: made.width, height: made.height },
    ...(isSameType && tab.items.length === 0 ? { items: made.items } : {}),
    ...(isSameType && tab.type === "radio-group" ? { buttons: made.buttons } : {}),
    ...(tab.maxLength === 0 ? { maxLength: made.maxLength } : {}),
    ...(tab.tooltip === "" ? { tooltip: made.tooltip } : {}),
    ...{ value, originalValue: value },
    isPlaced: true,
  };
}
