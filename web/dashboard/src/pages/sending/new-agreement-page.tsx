import { useState } from "react";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { noDetails, withTemplate } from "./details.ts";
import { DetailsForm } from "./details-form.tsx";
import { useSignTemplate } from "./queries.ts";
import { TemplateDialog } from "./template-dialog.tsx";
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
