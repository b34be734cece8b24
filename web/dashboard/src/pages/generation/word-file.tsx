import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FileTrigger } from "react-aria-components";
import { type Api, base64Of, useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { ErrorNotice } from "../../ui/states.tsx";
import { useAction } from "../../ui/use-action.ts";
import type { DraftState } from "./draft.ts";

interface Stored {
  readonly id: string;
  readonly name: string;
}

/** Stores a Word file; what it answers is the content of a template. */
export async function storeWordFile(api: Api, file: File): Promise<string> {
  const { id } = await api.send<Stored>("POST", "/v1/gen/assets", { name: file.name, content: await base64Of(file) });
  return `asset:${id}`;
}

interface WordFileChoiceProps {
  readonly text: string;
  readonly isBusy?: boolean;
  readonly onFile: (file: File) => void;
}

export const WordFileChoice = ({ text, isBusy = false, onFile }: WordFileChoiceProps) => (
  <FileTrigger acceptedFileTypes={[".docx"]} onSelect={(files) => files?.[0] && onFile(files[0])}>
    <Button isBusy={isBusy}>{text}</Button>
  </FileTrigger>
);

interface WordFileProps {
  readonly draft: DraftState;
  readonly mayChange: boolean;
  /** What was found in it. */
  readonly children: ReactNode;
}

/** The file that a template is, and another one in its place. */
export function WordFile({ draft, mayChange, children }: WordFileProps) {
  const texts = useTexts("generation");
  const api = useApi();
  const path = `/v1/gen/assets/${draft.content.replace(/^asset:/, "")}`;
  const { data: stored, error } = useQuery({
    queryKey: ["generation", "asset", draft.content],
    queryFn: () => api.get<Stored>(path),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const replace = useAction(async (file: File) => draft.change({ content: await storeWordFile(api, file) }));
  return (
    <Section title={texts.formats.docx} intro={texts.sourceHelp.docx}>
      {error && <ErrorNotice error={error} />}
      {stored !== undefined && (
        <p>
          <a href={`${path}/content`} download={stored.name}>
            {stored.name}
          </a>
        </p>
      )}
      {mayChange && (
        <div>
          <WordFileChoice text={texts.replaceFile} isBusy={replace.isBusy} onFile={(file) => void replace.run(file)} />
        </div>
      )}
      {replace.error !== undefined && <ErrorNotice error={replace.error} />}
      {children}
    </Section>
  );
}
