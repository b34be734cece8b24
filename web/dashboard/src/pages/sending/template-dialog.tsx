import { useDeferredValue, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Pager } from "../../ui/pager.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useSignTemplates } from "./queries.ts";
import type { SignTemplate } from "./types.ts";

interface TemplateDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChoose: (template: SignTemplate) => void;
}

export function TemplateDialog({ isOpen, onClose, onChoose }: TemplateDialogProps) {
  const texts = useTexts("sending");
  return (
    <Dialog title={texts.chooseTemplate} isOpen={isOpen} onClose={onClose}>
      <TemplateChoice onChoose={onChoose} />
    </Dialog>
  );
}

function TemplateChoice({ onChoose }: Pick<TemplateDialogProps, "onChoose">) {
  const texts = useTexts("sending");
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const { data, error, refetch, fetchNextPage, isFetchingNextPage } = useSignTemplates(wanted);
  const templates = data?.pages.flatMap(({ items }) => items);
  const next = data?.pages.at(-1)?.next;
  return (
    <>
      <TextField type="search" label={texts.searchTemplates} value={search} onChange={setSearch} maxLength={200} />
      {templates === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {templates?.length === 0 && (
        <EmptyState
          title={wanted === "" ? texts.noTemplates : texts.noTemplateFound}
          text={wanted === "" ? texts.noTemplatesText : texts.noTemplateFoundText}
        />
      )}
      {templates !== undefined && templates.length > 0 && (
        <ul className="sending-templates">
          {templates.map((template) => (
            <li key={template.id}>
              <Button onPress={() => onChoose(template)}>{template.name}</Button>
              {template.description && <small>{template.description}</small>}
            </li>
          ))}
        </ul>
      )}
      <Pager next={next} isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
    </>
  );
}
