import { useState } from "react";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { wrongInput } from "../../../api/errors.ts";
import { Link } from "../../../app/router.tsx";
import { useSession } from "../../../app/session.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../../ui/dialog.tsx";
import { Form, type FormValues, RadioGroup } from "../../../ui/form.tsx";
import { momentOf } from "../../../ui/local-time.ts";
import { TextField } from "../../../ui/text-field.tsx";
import { comparisonPath } from "../compare/compared-text.ts";
import { languageName } from "../configuration.ts";
import { useTemplateChanges, versionPath } from "../queries.ts";
import { ApprovalActions } from "./approval.tsx";
import { CancelScheduleDialog, PublishTime, publishTimeIn, type When } from "./schedule.tsx";

type Asked = "publish" | "cancelSchedule" | "unpublish" | "archive";

interface VersionActionsProps {
  readonly version: Version;
  readonly isTemplateArchived: boolean;
}

/** What can be done with a version where it stands, by whoever may. */
export function VersionActions({ version, isTemplateArchived }: VersionActionsProps) {
  const texts = useTexts("templates");
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const { status } = version;
  const mayPublish = can("click:write") && !isTemplateArchived;
  const propsOf = (name: Asked) => ({ version, isOpen: asked === name, onClose: () => setAsked(undefined) });
  return (
    <div className="row-actions">
      {mayPublish && (status === "DRAFT" || (status === "PUBLISHED" && version.draft !== null)) && (
        <Button kind="primary" onPress={() => setAsked("publish")}>
          {version.schedule === null ? texts.publish : texts.reschedule}
        </Button>
      )}
      {mayPublish && version.schedule !== null && (
        <Button onPress={() => setAsked("cancelSchedule")}>{texts.cancelSchedule}</Button>
      )}
      {mayPublish && <ApprovalActions version={version} />}
      {mayPublish && status !== "ARCHIVED" && <EditLink version={version} />}
      <CompareLink version={version} />
      {mayPublish && status === "PUBLISHED" && <Button onPress={() => setAsked("unpublish")}>{texts.unpublish}</Button>}
      {can("click:admin") && status !== "ARCHIVED" && (
        <Button onPress={() => setAsked("archive")}>{texts.archiveVersion}</Button>
      )}
      <PublishDialog {...propsOf("publish")} />
      <CancelScheduleDialog {...propsOf("cancelSchedule")} />
      <UnpublishDialog {...propsOf("unpublish")} />
      <ArchiveDialog {...propsOf("archive")} />
    </div>
  );
}

function EditLink({ version: { templateId, locale } }: { readonly version: Version }) {
  const texts = useTexts("templates");
  const search = new URLSearchParams({ locale });
  return <ButtonLink to={`/templates/${templateId}?${search}`}>{texts.editText}</ButtonLink>;
}

/** To what is written beside what was published last, or to what the last publication changed. */
export function CompareLink({ version }: { readonly version: Version }) {
  const texts = useTexts("templates");
  const path = comparisonPath(version);
  return path === undefined ? null : <ButtonLink to={path}>{texts.compare}</ButtonLink>;
}

interface ActionProps {
  readonly version: Version;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function UnpublishDialog({ version, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const unpublish = async () => {
    await api.send("POST", `${versionPath(version)}/publish`, { published: false });
    await templateChanged(version.templateId);
  };
  return (
    <ConfirmDialog
      title={texts.unpublishTitle}
      text={[texts.unpublishText(languageName(version.locale, locale)), ...endOfSchedule(version, texts)].join(" ")}
      action={texts.unpublish}
      isOpen={isOpen}
      onConfirm={unpublish}
      onClose={onClose}
    />
  );
}

function ArchiveDialog({ version, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const archive = async () => {
    await api.send("POST", `${versionPath(version)}/archive`);
    await templateChanged(version.templateId);
  };
  return (
    <ConfirmDialog
      title={texts.archiveVersionTitle}
      text={[
        texts.archiveVersionText(languageName(version.locale, locale)),
        ...(version.draft === null ? [] : [texts.archiveNextText]),
        ...endOfSchedule(version, texts),
      ].join(" ")}
      action={texts.archiveVersion}
      isOpen={isOpen}
      onConfirm={archive}
      onClose={onClose}
    />
  );
}

const endOfSchedule = ({ schedule }: Version, { endsSchedule }: { readonly endsSchedule: string }): string[] =>
  schedule === null ? [] : [endsSchedule];

interface PublishDialogProps {
  readonly version: Version;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks whether people have to agree again; of the first publication there is nothing to ask. */
export function PublishDialog({ version, isOpen, onClose }: PublishDialogProps) {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  return (
    <Dialog title={texts.publishTitle(languageName(version.locale, locale))} isOpen={isOpen} onClose={onClose}>
      <p>{version.status === "PUBLISHED" ? texts.publishNextText(version.label ?? "") : texts.publishText}</p>
      <PublishForm version={version} onClose={onClose} />
    </Dialog>
  );
}

function PublishForm({ version, onClose }: Omit<PublishDialogProps, "isOpen">) {
  const texts = useTexts("templates");
  const { timeZone } = useLanguage();
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const isNext = version.status === "PUBLISHED";
  const { schedule } = version;
  // Nothing has changed that was published before.
  const isFirst = version.label === null;
  const [when, setWhen] = useState<When>(schedule === null ? "now" : "at");
  const publish = async (values: FormValues) => {
    const isLater = when === "at";
    const publishAt = isLater ? publishTimeIn(values, timeZone, texts).toISOString() : undefined;
    const effectiveAt = isLater ? schedule?.effectiveAt : effectiveIn(values, timeZone, texts.badTime);
    const changeSummary = isFirst ? (schedule?.changeSummary ?? null) : values.text("changeSummary").trim() || null;
    const requireReacceptance = values.text("requireReacceptance") !== "no";
    // What somebody has saved since is published by nobody who has not seen it.
    const { updatedAt: ifUpdatedAt } = (isNext ? version.draft : null) ?? version;
    const body = { requireReacceptance, effectiveAt, publishAt, changeSummary, ifUpdatedAt };
    try {
      await api.send("POST", `${versionPath(version)}/publish`, body);
    } finally {
      await templateChanged(version.templateId);
    }
    onClose();
  };
  return (
    <Form submit={when === "at" ? texts.schedule : texts.publish} onSubmit={publish} onCancel={onClose}>
      {version.label === null ? (
        <p>{texts.firstPublication}</p>
      ) : (
        <Reacceptance version={version} label={version.label} onFollow={onClose} />
      )}
      {!isFirst && (
        <TextField
          name="changeSummary"
          label={texts.changeSummaryLabel}
          hint={texts.changeSummaryHelp}
          defaultValue={schedule?.changeSummary ?? (isNext ? "" : (version.changeSummary ?? ""))}
          maxLength={2_000}
          rows={2}
        />
      )}
      <PublishTime when={when} onChange={setWhen} publishAt={schedule?.publishAt} />
      {when === "now" && (
        <TextField
          name="effectiveAt"
          type="datetime-local"
          label={texts.effectiveFrom}
          hint={texts.effectiveFromHelp(timeZone)}
        />
      )}
    </Form>
  );
}

interface ReacceptanceProps {
  readonly version: Version;
  /** That it was published with last. */
  readonly label: string;
  readonly onFollow: () => void;
}

function Reacceptance({ version, label, onFollow }: ReacceptanceProps) {
  const texts = useTexts("templates");
  const comparison = comparisonPath(version);
  const [major = 1, minor = 0] = label.split(".").map(Number);
  return (
    <>
      <RadioGroup
        name="requireReacceptance"
        label={texts.reaccept}
        defaultValue={version.schedule?.requireReacceptance === false ? "no" : "yes"}
        options={[
          { id: "yes", label: texts.reacceptYes, hint: texts.reacceptYesHint(`${major + 1}.0`) },
          { id: "no", label: texts.reacceptNo, hint: texts.reacceptNoHint(`${major}.${minor + 1}`) },
        ]}
      />
      {comparison !== undefined && (
        <p>
          <Link to={comparison} onClick={onFollow}>
            {texts.reviewChanges}
          </Link>
        </p>
      )}
    </>
  );
}

/** Throws what the form shows at its field. */
function effectiveIn(values: FormValues, timeZone: string, badTime: string): string | undefined {
  const written = values.text("effectiveAt");
  if (written === "") return undefined;
  const moment = momentOf(written, timeZone);
  if (moment === undefined) throw wrongInput(badTime, "effectiveAt");
  return moment.toISOString();
}
