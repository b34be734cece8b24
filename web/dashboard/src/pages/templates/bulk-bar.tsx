import { useState } from "react";
import type { Template } from "#api/templates.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { type BulkResult, BulkResultNotice } from "./bulk-result.tsx";
import { useBulkChanges } from "./use-bulk-changes.ts";

interface BulkBarProps {
  readonly shown: readonly Template[];
  readonly selected: readonly Template[];
  readonly onSelect: (templates: readonly Template[]) => void;
}

/** What is done with many templates at once. */
export function BulkBar({ shown, selected, onSelect }: BulkBarProps) {
  const texts = useTexts("templates");
  const [asked, setAsked] = useState<"archive" | "duplicate">();
  const [result, setResult] = useState<BulkResult>();
  const close = () => setAsked(undefined);
  const done = (answer: BulkResult) => {
    setResult(answer);
    onSelect([]);
  };
  const isAll = selected.length === shown.length;
  return (
    <>
      <div className="bulk-bar">
        <Checkbox
          isSelected={isAll}
          isIndeterminate={!isAll && selected.length > 0}
          onChange={(isOn) => onSelect(isOn ? shown : [])}
        >
          {texts.selectAll}
        </Checkbox>
        <span role="status">{selected.length > 0 && texts.selected(selected.length)}</span>
        {selected.length > 0 && (
          <div className="bulk-buttons">
            <Button onPress={() => setAsked("duplicate")}>{texts.duplicate}</Button>
            <Button onPress={() => setAsked("archive")}>{texts.archive}</Button>
          </div>
        )}
      </div>
      {result !== undefined && <BulkResultNotice result={result} />}
      <ArchiveDialog selected={selected} isOpen={asked === "archive"} onClose={close} onDone={done} />
      <DuplicateDialog selected={selected} isOpen={asked === "duplicate"} onClose={close} onDone={done} />
    </>
  );
}

interface BulkDialogProps {
  readonly selected: readonly Template[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (result: BulkResult) => void;
}

function ArchiveDialog({ selected, isOpen, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts("templates");
  const { archive } = useBulkChanges();
  return (
    <ConfirmDialog
      title={texts.bulkArchiveTitle(selected.length)}
      text={
        <>
          <p>{texts.bulkArchiveText}</p>
          <Names templates={selected} />
        </>
      }
      action={texts.archive}
      isOpen={isOpen}
      onConfirm={async () => onDone(await archive(selected))}
      onClose={onClose}
    />
  );
}

function DuplicateDialog({ selected, isOpen, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts("templates");
  const { duplicate } = useBulkChanges();
  const send = async (values: FormValues) => {
    const result = await duplicate(selected, values.text("namePattern").trim());
    onClose();
    onDone(result);
  };
  return (
    <Dialog title={texts.bulkDuplicateTitle(selected.length)} isOpen={isOpen} onClose={onClose}>
      <p>{texts.bulkDuplicateText}</p>
      <Names templates={selected} />
      <Form submit={texts.duplicate} onSubmit={send} onCancel={onClose}>
        <TextField
          name="namePattern"
          label={texts.namePattern}
          hint={texts.namePatternHelp}
          defaultValue={texts.namePatternDefault}
          isRequired
          maxLength={255}
        />
      </Form>
    </Dialog>
  );
}

const namesShown = 8;

function Names({ templates }: { readonly templates: readonly Template[] }) {
  const texts = useTexts("templates");
  const rest = templates.length - namesShown;
  return (
    <ul className="bulk-names">
      {templates.slice(0, namesShown).map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {rest > 0 && <li>{texts.andMore(rest)}</li>}
    </ul>
  );
}
