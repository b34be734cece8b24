import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useAction } from "../../ui/use-action.ts";
import { type DraftState, NotData, Overtaken } from "./draft.ts";
import { templatePath, useGenerationChanges } from "./queries.ts";
import type { Template } from "./types.ts";

interface TemplateActionsProps {
  readonly template: Template;
  readonly draft: DraftState;
}

/** Saving what was written, publishing it, and what became of that. */
export function TemplateActions({ template, draft }: TemplateActionsProps) {
  const texts = useTexts("generation");
  const api = useApi();
  const { templateIs } = useGenerationChanges();
  const [done, setDone] = useState("");
  const save = useAction(async () => {
    setDone("");
    publish.clear();
    await draft.save();
    setDone(texts.savedDraft);
  });
  const publish = useAction(async () => {
    setDone("");
    save.clear();
    await draft.save();
    const published = await api.send<Template>("POST", `${templatePath(template.id)}/publish`);
    await templateIs(published);
    setDone(texts.publishedNow(published.publishedVersion ?? 0));
  });
  const isBusy = save.isBusy || publish.isBusy;
  const canPublish = draft.isChanged || template.hasChanges || template.publishedVersion === null;
  return (
    <>
      <div className="form-buttons">
        <Button
          kind="primary"
          isBusy={save.isBusy}
          isDisabled={!draft.isChanged || isBusy}
          onPress={() => void save.run()}
        >
          {texts.save}
        </Button>
        <Button isBusy={publish.isBusy} isDisabled={!canPublish || isBusy} onPress={() => void publish.run()}>
          {draft.isChanged ? texts.saveAndPublish : texts.publish}
        </Button>
        {template.publishedVersion !== null && (
          <ButtonLink to={`/generation/batches?new=${template.id}`}>{texts.batchOf}</ButtonLink>
        )}
        {draft.isChanged && <span className="gen-aside">{texts.unsaved}</span>}
      </div>
      <Problem error={save.error ?? publish.error} />
      {draft.isOvertaken && <Conflict draft={draft} />}
      {done !== "" && !draft.isChanged && <Notice tone="success">{done}</Notice>}
    </>
  );
}

function Problem({ error }: { readonly error: unknown }) {
  const texts = useTexts("generation");
  if (error === undefined || error instanceof Overtaken) return null;
  if (error instanceof NotData) return <Notice tone="danger">{texts.sampleWrong}</Notice>;
  return <ErrorNotice error={error} />;
}

/** Nothing of what was written is lost, and nothing of what somebody else wrote without being asked. */
function Conflict({ draft }: { readonly draft: DraftState }) {
  const texts = useTexts("generation");
  const over = useAction(() => draft.save({ over: true }));
  return (
    <Notice tone="warning" title={texts.conflictTitle}>
      <p>{texts.conflictText}</p>
      <div className="form-buttons">
        <Button isBusy={over.isBusy} onPress={() => void over.run()}>
          {texts.saveOver}
        </Button>
        <Button isDisabled={over.isBusy} onPress={draft.discard}>
          {texts.takeTheirs}
        </Button>
      </div>
      <Problem error={over.error} />
    </Notice>
  );
}
