import { FileTrigger } from "react-aria-components";
import type { Template, TemplateFile } from "#api/templates.ts";
import { maxPdfBytes, readPdfText } from "#platform/pdf-text.ts";
import { base64Of, useApi } from "../../../api/client.ts";
import { wrongInput } from "../../../api/errors.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { PdfPages } from "../../../ui/pdf/pdf-pages.tsx";
import { ErrorNotice } from "../../../ui/states.tsx";
import { useAction } from "../../../ui/use-action.ts";
import { templatePath } from "../queries.ts";
import type { Draft } from "./draft.ts";

interface UploadPdfProps {
  readonly template: Template;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Takes the place of the text, once it was checked and kept. */
export function UploadPdf({ template, draft, onChange }: UploadPdfProps) {
  const texts = useTexts("editor").pdf;
  const api = useApi();
  const upload = useAction(async (chosen: File) => {
    if (chosen.size > maxPdfBytes) throw wrongInput(texts.uploadHelp);
    const body = { documentBase64: await base64Of(chosen) };
    const { content } = await api.send<TemplateFile>("POST", `${templatePath(template.id)}/files`, body);
    onChange({ format: "pdf", content });
  });
  // Values cannot be filled into a file.
  if (template.type === "GENERATED") return null;
  return (
    <div className="upload-pdf">
      <FileTrigger
        acceptedFileTypes={["application/pdf"]}
        onSelect={(files) => files?.[0] && void upload.run(files[0])}
      >
        <Button isBusy={upload.isBusy}>{draft.format === "pdf" ? texts.replace : texts.upload}</Button>
      </FileTrigger>
      <p className="editor-quiet">{texts.uploadHelp}</p>
      {upload.error !== undefined && <ErrorNotice error={upload.error} />}
    </div>
  );
}

/** Where the file of a text is. */
export const pdfPath = (templateId: string, hash: string): string =>
  `${templatePath(templateId)}/files/${encodeURIComponent(hash)}/content`;

interface PdfTextProps {
  readonly template: Template;
  readonly draft: Draft;
  readonly locale: string;
}

/** The file as people see it, and what those hear who do not. */
export function PdfText({ template, draft, locale }: PdfTextProps) {
  const texts = useTexts("editor").pdf;
  const pdf = readPdfText(draft.content);
  if (pdf === undefined) return <p className="editor-quiet">{texts.none}</p>;
  return (
    <div className="pdf-as-text">
      <details>
        <summary>{texts.spoken}</summary>
        {pdf.pages.map(({ text }, page) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a page is known by its number alone
          <section key={page} lang={locale} aria-label={texts.page(page + 1)}>
            {text.map((paragraph, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as are paragraphs, which may repeat
              <p key={index}>{paragraph}</p>
            ))}
          </section>
        ))}
      </details>
      <PdfPages key={pdf.hash} source={pdfPath(template.id, pdf.hash)} label={draft.title || template.name} />
    </div>
  );
}
