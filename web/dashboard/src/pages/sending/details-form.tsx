import type { ReactNode } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Details } from "./details.ts";
import { DocumentList } from "./document-list.tsx";
import { RecipientRows } from "./recipient-rows.tsx";
import type { SavingDetails } from "./use-save-details.ts";
import "./sending.css";

interface DetailsFormProps {
  readonly details: Details;
  readonly onChange: (details: Details) => void;
  /** Whether the documents that are there already come from a template, and stay. */
  readonly isFromTemplate?: boolean;
  readonly saving: SavingDetails;
  readonly submit: string;
  /** Below the button. */
  readonly after?: ReactNode;
}

/** What is sent to whom, and with which words. */
export function DetailsForm({ details, onChange, isFromTemplate = false, saving, submit, after }: DetailsFormProps) {
  const texts = useTexts("sending");
  const { documents, recipients, subject, message } = details;
  return (
    <div className="sending-form">
      <Form submit={submit} onSubmit={() => saving.save(details)}>
        <Section title={texts.documents} intro={texts.documentsIntro}>
          <DocumentList
            documents={documents}
            progress={saving.progress}
            isFromTemplate={isFromTemplate}
            onChange={(changed) => onChange({ ...details, documents: changed })}
          />
        </Section>
        <Section title={texts.recipients} intro={texts.recipientsIntro}>
          <RecipientRows
            recipients={recipients}
            onChange={(changed) => onChange({ ...details, recipients: changed })}
          />
        </Section>
        <Section title={texts.mail} intro={texts.mailIntro}>
          <TextField
            name="emailSubject"
            label={texts.subject}
            value={subject}
            onChange={(changed) => onChange({ ...details, subject: changed })}
            isRequired
            maxLength={100}
          />
          <TextField
            name="emailBlurb"
            label={texts.message}
            value={message}
            onChange={(changed) => onChange({ ...details, message: changed })}
            rows={4}
            maxLength={10_000}
          />
        </Section>
      </Form>
      {after}
    </div>
  );
}
