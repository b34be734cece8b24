import { type ReactNode, useEffect, useState } from "react";
import { useApi } from "../../api/client.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { LinkTabs, Page } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { useAction } from "../../ui/use-action.ts";
import { ConflictNotice, isConflict } from "./conflict-notice.tsx";
import { type Details, detailsOf } from "./details.ts";
import { DetailsForm } from "./details-form.tsx";
import { FieldsStep } from "./fields-step.tsx";
import { pathOf, useDraft, useDraftChanges } from "./queries.ts";
import { ReviewStep } from "./review-step.tsx";
import type { Draft } from "./types.ts";
import { type FieldSaver, useFieldSaver } from "./use-field-saver.ts";
import { useSaveDetails } from "./use-save-details.ts";
import "./sending.css";

const steps = ["details", "fields", "review"] as const;
type Step = (typeof steps)[number];

/** What of a draft is shown is in the address. */
export function PreparePage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("sending");
  const wanted = useSearch().get("step");
  const step = steps.find((name) => name === wanted) ?? "fields";
  const { data, error, refetch, isStale, isFetching, isFetchedAfterMount } = useDraft(id);
  // What is changed here has to be what others see, too.
  const draft = isStale && isFetching && !isFetchedAfterMount ? undefined : data;
  return (
    <Page
      title={draft?.emailSubject || texts.draft}
      intro={<Link to={`/agreements/${id}`}>{texts.backToAgreement}</Link>}
      actions={draft?.status === "created" && <Next id={id} step={step} />}
    >
      {draft === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {draft !== undefined && draft.status !== "created" && (
        <EmptyState
          title={texts.noDraft}
          text={texts.noDraftText}
          action={<ButtonLink to={`/agreements/${id}`}>{texts.toAgreement}</ButtonLink>}
        />
      )}
      {draft?.status === "created" && <Steps draft={draft} step={step} />}
    </Page>
  );
}

const toStep = (id: string, step: Step): string =>
  `/agreements/${id}/prepare${step === "fields" ? "" : `?step=${step}`}`;

function Next({ id, step }: { readonly id: string; readonly step: Step }) {
  const texts = useTexts("sending");
  if (step !== "fields") return null;
  return (
    <ButtonLink to={toStep(id, "review")} kind="primary">
      {texts.toReview}
    </ButtonLink>
  );
}

function Steps({ draft, step }: { readonly draft: Draft; readonly step: Step }) {
  const texts = useTexts("sending");
  const saver = useFieldSaver(draft.id);
  const [beginnings, setBeginnings] = useState(0);
  const tabs = steps.map((name) => ({
    to: toStep(draft.id, name),
    text: texts.steps[name],
    isCurrent: name === step,
  }));
  return (
    <>
      <LinkTabs label={texts.stepsLabel} tabs={tabs} />
      {saver.state === "conflict" && <FieldConflict saver={saver} onTakenOver={() => setBeginnings(beginnings + 1)} />}
      {step === "fields" ? (
        <FieldsStep key={beginnings} draft={draft} saver={saver} />
      ) : (
        <OnceSaved saver={saver}>
          {step === "details" ? <DetailsStep draft={draft} /> : <ReviewStep draft={draft} />}
        </OnceSaved>
      )}
    </>
  );
}

function FieldConflict({ saver, onTakenOver }: { readonly saver: FieldSaver; readonly onTakenOver: () => void }) {
  const { run, isBusy, error } = useAction(saver.settle);
  const takeTheirs = async () => {
    if (await run("theirs")) onTakenOver();
  };
  return (
    <ConflictNotice
      error={error}
      isBusy={isBusy}
      onKeepMine={() => void run("mine")}
      onTakeTheirs={() => void takeTheirs()}
    />
  );
}

/** The other steps begin with the fields that were placed last. */
function OnceSaved({ saver, children }: { readonly saver: FieldSaver; readonly children: ReactNode }) {
  const texts = useTexts("sending");
  const { state, flush, error } = saver;
  useEffect(() => {
    void flush();
  }, [flush]);
  if (state === "failed") return <ErrorState error={error} retry={() => void flush()} />;
  if (state === "conflict") return null;
  if (state === "waiting") return <Notice>{texts.saveStates.waiting}</Notice>;
  return children;
}

function DetailsStep({ draft }: { readonly draft: Draft }) {
  const texts = useTexts("sending");
  const navigate = useNavigate();
  const [details, setDetails] = useState(() => detailsOf(draft));
  const saving = useSaveDetails({ draftId: draft.id, onSaved: () => navigate(toStep(draft.id, "fields")) });
  const [isChanged, setIsChanged] = useState(false);
  const save = async (wanted: Details): Promise<void> => {
    try {
      await saving.save(wanted);
    } catch (error) {
      if (!isConflict(error)) throw error;
      setIsChanged(true);
    }
  };
  const api = useApi();
  const { draftIs } = useDraftChanges();
  const { run, isBusy, error } = useAction(async (keeps: "mine" | "theirs") => {
    const now = await api.get<Draft>(pathOf(draft.id));
    draftIs(now);
    setIsChanged(false);
    if (keeps === "mine") await save(details);
    else setDetails(detailsOf(now));
  });
  return (
    <>
      <DetailsForm
        details={details}
        onChange={setDetails}
        saving={{ ...saving, save }}
        submit={texts.saveDetails}
        after={
          isChanged && (
            <ConflictNotice
              isBusy={isBusy}
              onKeepMine={() => void run("mine")}
              onTakeTheirs={() => void run("theirs")}
            />
          )
        }
      />
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
