import { useDeferredValue, useState } from "react";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { EmptyState, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { noDetails, withTemplate } from "./details.ts";
import { DetailsForm } from "./details-form.tsx";
import { useSignTemplate, useSignTemplates } from "./queries.ts";
import type { SignTemplate } from "./types.ts";
import { useSaveDetails } from "./use-save-details.ts";

/** The template that it begins with is in the address, so that others can be given a link to it. */
export function NewAgreementPage() {
  const texts = useTexts("sending");
  const navigate = useNavigate();
  const templateId = useSearch().get("template") ?? undefined;
  const { data: template, error, refetch } = useSignTemplate(templateId);
  const [isChoosing, setIsChoosing] = useState(false);
  const begin = (id?: string) => navigate(`/agreements/new${id === undefined ? "" : `?template=${id}`}`);
  const isReady = templateId === undefined || template !== undefined;
  return (
    <Page
      title={texts.newTitle}
      intro={<Link to="/agreements">{texts.backToAgreements}</Link>}
      actions={<Button onPress={() => setIsChoosing(true)}>{texts.fromTemplate}</Button>}
    >
      {!isReady && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {template !== undefined && (
        <Notice>
          <p>{texts.beginsWith(template.name)}</p>
          <Button kind="quiet" onPress={() => begin()}>
            {texts.withoutTemplate}
          </Button>
        </Notice>
      )}
      {isReady && <NewAgreement key={templateId} template={template} />}
      <TemplateDialog
        isOpen={isChoosing}
        onClose={() => setIsChoosing(false)}
        onChoose={({ id }) => {
          setIsChoosing(false);
          begin(id);
        }}
      />
    </Page>
  );
}

function NewAgreement({ template }: { readonly template: SignTemplate | undefined }) {
  const texts = useTexts("sending");
  const navigate = useNavigate();
  const [details, setDetails] = useState(() => {
    const nothing = noDetails();
    return template === undefined ? nothing : withTemplate(template, nothing);
  });
  const saving = useSaveDetails({
    templateId: template?.id,
    onSaved: ({ id }) => navigate(`/agreements/${id}/prepare`, { replace: true }),
  });
  return (
    <DetailsForm
      details={details}
      onChange={setDetails}
      isFromTemplate={template !== undefined}
      saving={saving}
      submit={texts.toFields}
    />
  );
}

interface TemplateDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChoose: (template: SignTemplate) => void;
}

function TemplateDialog({ isOpen, onClose, onChoose }: TemplateDialogProps) {
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
