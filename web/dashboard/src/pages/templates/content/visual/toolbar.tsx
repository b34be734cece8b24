import type { Command } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { wrongInput } from "../../../../api/errors.ts";
import { useTexts } from "../../../../texts/texts.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { Form, type FormValues } from "../../../../ui/form.tsx";
import { Select, TextField } from "../../../../ui/text-field.tsx";
import type { Variable } from "../findings.ts";
import {
  type Action,
  actions,
  blockKindAt,
  blockKinds,
  insertField,
  insertTable,
  isInTable,
  linkAt,
  setBlockKind,
  setLink,
  tableActions,
} from "./actions.ts";
import { linkAddress } from "./paste.ts";

interface ToolbarProps {
  readonly view: EditorView;
  readonly fields: readonly Variable[] | undefined;
  /** Counts how often somebody asked for it with the keyboard. */
  readonly asked: number;
}

/** What can be done with what is selected. One stop for the Tab key; arrows lead from one button to the next. */
export function Toolbar({ view, fields, asked }: ToolbarProps) {
  const texts = useTexts("editor").visual;
  const bar = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const [isLinking, setIsLinking] = useState(false);
  const [isFilling, setIsFilling] = useState(false);
  const { state } = view;
  useEffect(() => {
    if (asked > 0) controlsIn(bar.current)[0]?.focus();
  }, [asked]);
  useEffect(() => {
    // What stood last may be gone.
    const controls = controlsIn(bar.current);
    for (const [index, control] of controls.entries()) {
      control.tabIndex = index === Math.min(current, controls.length - 1) ? 0 : -1;
    }
  });
  const decided = useRef<Command>(undefined);
  useEffect(() => {
    // A dialog keeps the focus for as long as it is there.
    if (isLinking || isFilling || decided.current === undefined) return;
    const command = decided.current;
    decided.current = undefined;
    perform(command);
  });
  const decide = (command: Command) => {
    decided.current = command;
  };
  const perform = (command: Command) => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const move = (event: KeyboardEvent) => {
    const controls = controlsIn(bar.current);
    const at = controls.indexOf(event.target as HTMLElement);
    const step = new Map([
      ["ArrowRight", (at + 1) % controls.length],
      ["ArrowLeft", (at - 1 + controls.length) % controls.length],
      ["Home", 0],
      ["End", controls.length - 1],
    ]).get(event.key);
    if (event.key === "Escape") view.focus();
    if (step === undefined) return;
    event.preventDefault();
    setCurrent(step);
    controls[step]?.focus();
  };
  const buttons = (list: readonly Action[]) =>
    list.map(({ name, run, isOn }) => (
      <ToolButton
        key={name}
        label={texts.actions[name] ?? name}
        icon={name}
        isOn={isOn?.(state)}
        isDisabled={!run(state)}
        onPress={() => perform(run)}
      />
    ));
  return (
    <div
      ref={bar}
      className="visual-toolbar"
      role="toolbar"
      aria-label={texts.toolbar}
      onKeyDown={move}
      onFocus={({ target }) => setCurrent(Math.max(0, controlsIn(bar.current).indexOf(target as HTMLElement)))}
    >
      <select
        aria-label={texts.kind}
        value={blockKindAt(state)}
        onChange={({ target }) => perform(setBlockKind(target.value))}
      >
        {blockKindAt(state) === "" && <option value="">{texts.kinds.other}</option>}
        {blockKinds.map((kind) => (
          <option key={kind} value={kind}>
            {texts.kinds[kind]}
          </option>
        ))}
      </select>
      {actions.map((group, index) => (
        <ToolGroup key={group[0]?.name}>
          {buttons(group)}
          {index === 0 && (
            <ToolButton
              label={texts.actions.link ?? ""}
              icon="link"
              isOn={linkAt(state) !== undefined}
              onPress={() => setIsLinking(true)}
            />
          )}
          {index === 1 && (
            <ToolButton label={texts.actions.table ?? ""} icon="table" onPress={() => perform(insertTable)} />
          )}
        </ToolGroup>
      ))}
      {fields !== undefined && (
        <ToolGroup>
          <ToolButton label={texts.actions.field ?? ""} icon="field" onPress={() => setIsFilling(true)} />
        </ToolGroup>
      )}
      {isInTable(state) && <ToolGroup>{buttons(tableActions)}</ToolGroup>}
      {isLinking && <LinkDialog view={view} onClose={() => setIsLinking(false)} onDone={decide} />}
      {isFilling && (
        <FieldDialog
          fields={fields ?? []}
          onClose={() => setIsFilling(false)}
          onDone={(key) => decide(insertField(key))}
        />
      )}
    </div>
  );
}

const ToolGroup = ({ children }: { readonly children: ReactNode }) => <span className="visual-tools">{children}</span>;

const controlsIn = (bar: HTMLElement | null): HTMLElement[] => [
  ...(bar?.querySelectorAll<HTMLElement>(".visual-tool, select") ?? []),
];

interface ToolButtonProps {
  readonly label: string;
  readonly icon: string;
  readonly isOn?: boolean | undefined;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

/** Stays where the keyboard finds it also while it can do nothing. */
function ToolButton({ label, icon, isOn, isDisabled = false, onPress }: ToolButtonProps) {
  return (
    <button
      type="button"
      className="visual-tool"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      aria-disabled={isDisabled || undefined}
      // The mouse leaves the selection where it is.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        if (!isDisabled) onPress();
      }}
    >
      {letters.get(icon) ?? (
        <svg className="icon" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
          <path d={shapes.get(icon)} fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
        </svg>
      )}
    </button>
  );
}

const letters: ReadonlyMap<string, ReactNode> = new Map([
  ["bold", <b key="bold">B</b>],
  ["italic", <i key="italic">I</i>],
  ["underline", <u key="underline">U</u>],
  ["strike", <s key="strike">S</s>],
  ["code", <code key="code">{"<>"}</code>],
]);

const shapes: ReadonlyMap<string, string> = new Map([
  ["bullets", "M8 5h9M8 10h9M8 15h9M3.5 5h.01M3.5 10h.01M3.5 15h.01"],
  ["numbers", "M8 5h9M8 10h9M8 15h9M3 4l1-1v4M3 9h2l-2 3h2M3 14h2v3h-2"],
  ["outdent", "M9 5h8M9 10h8M9 15h8M6 7l-3 3 3 3"],
  ["indent", "M9 5h8M9 10h8M9 15h8M3 7l3 3-3 3"],
  ["quote", "M4 4v12M8 6h9M8 10h9M8 14h6"],
  ["clear", "M5 4h10M10 4l-2 12M12 12l5 5M17 12l-5 5"],
  ["undo", "M7 4L3 8l4 4M3 8h9a5 5 0 010 9H9"],
  ["redo", "M13 4l4 4-4 4M17 8H8a5 5 0 000 9h3"],
  ["link", "M8 12l4-4M9 6l2-2a4 4 0 015 5l-2 2M11 14l-2 2a4 4 0 01-5-5l2-2"],
  ["table", "M3 4h14v12H3zM3 8h14M3 12h14M10 8v8"],
  ["field", "M7 4c-3 0-1 6-4 6 3 0 1 6 4 6M13 4c3 0 1 6 4 6-3 0-1 6-4 6"],
  ["addRow", "M3 4h14v5H3zM10 12v6M7 15h6"],
  ["addColumn", "M3 3h5v14H3zM14 7v6M11 10h6"],
  ["headerRow", "M3 4h14v12H3zM3 8h14M3 6h14"],
  ["deleteRow", "M3 4h14v5H3zM7 15h6"],
  ["deleteColumn", "M3 3h5v14H3zM11 10h6"],
  ["deleteTable", "M3 4h14v12H3zM7 7l6 6M13 7l-6 6"],
]);

interface LinkDialogProps {
  readonly view: EditorView;
  readonly onClose: () => void;
  readonly onDone: (command: Command) => void;
}

function LinkDialog({ view, onClose, onDone }: LinkDialogProps) {
  const texts = useTexts("editor").visual;
  const old = linkAt(view.state);
  const href: string = old?.attrs.kept.find(([name]: [string]) => name === "href")?.[1] ?? "";
  const hasWords = old !== undefined || !view.state.selection.empty;
  const link = async (values: FormValues) => {
    const written = values.text("address").trim();
    const address = written === "" ? undefined : addressOf(written);
    if (written !== "" && address === undefined) throw wrongInput(texts.linkWrong, "address");
    onDone(setLink(address, values.text("words")));
    onClose();
  };
  return (
    <Dialog title={texts.linkTitle} isOpen onClose={onClose}>
      <Form submit={texts.linkSet} onSubmit={link} onCancel={onClose}>
        <TextField
          name="address"
          label={texts.linkAddress}
          hint={old === undefined ? texts.linkHint : texts.linkHintOld}
          defaultValue={href}
          isRequired={old === undefined}
          autoFocus
        />
        {!hasWords && <TextField name="words" label={texts.linkWords} />}
      </Form>
    </Dialog>
  );
}

/** Whoever writes an address often leaves its beginning out. */
function addressOf(written: string): string | undefined {
  if (/^#[\p{L}\p{N}_.:-]+$/u.test(written)) return written;
  if (/^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/.test(written)) return linkAddress(`mailto:${written}`);
  return linkAddress(written) ?? (/^[a-z][a-z0-9+.-]*:/i.test(written) ? undefined : linkAddress(`https://${written}`));
}

interface FieldDialogProps {
  readonly fields: readonly Variable[];
  readonly onClose: () => void;
  readonly onDone: (key: string) => void;
}

const usualFields = ["fullName", "email", "company", "title", "date"];

function FieldDialog({ fields, onClose, onDone }: FieldDialogProps) {
  const texts = useTexts("editor").visual;
  const options =
    fields.length === 0
      ? usualFields.map((key) => ({ id: key, label: key }))
      : fields.map(({ key, label }) => ({ id: key, label: label === undefined ? key : `${label} (${key})` }));
  const fill = async (values: FormValues) => {
    onDone(values.text("field"));
    onClose();
  };
  return (
    <Dialog title={texts.actions.field ?? ""} isOpen onClose={onClose}>
      <Form submit={texts.fieldSet} onSubmit={fill} onCancel={onClose}>
        <Select
          name="field"
          label={texts.fieldLabel}
          options={options}
          defaultValue={options[0]?.id ?? null}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
