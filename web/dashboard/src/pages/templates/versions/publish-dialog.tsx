import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { wrongInput } from "../../../api/wrong-input.ts";
import { Link } from "../../../app/router.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form, type FormValues } from "../../../ui/form.tsx";
import { momentOf } from "../../../ui/local-time.ts";
import { RadioGroup } from "../../../ui/radio-group.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { firstComparison } from "../compare/text-options.ts";
import { languageName } from "../language-name.ts";
import { useTemplateChanges, versionPath } from "../queries.ts";

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
      <p>{texts.publishText}</p>
      <PublishForm version={version} onClose={onClose} />
    </Dialog>
  );
}

function PublishForm({ version, onClose }: Omit<PublishDialogProps, "isOpen">) {
  const texts = useTexts("templates");
  const { timeZone } = useLanguage();
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const publish = async (values: FormValues) => {
    const effectiveAt = effectiveIn(values, timeZone, texts.badTime);
    const changeSummary = values.text("changeSummary").trim() || null;
    const requireReacceptance = values.text("requireReacceptance") !== "no";
    await api.send("POST", `${versionPath(version)}/publish`, { requireReacceptance, effectiveAt, changeSummary });
    await templateChanged(version.templateId);
    onClose();
  };
  return (
    <Form submit={texts.publish} onSubmit={publish} onCancel={onClose}>
      {version.label === null ? (
        <p>{texts.firstPublication}</p>
      ) : (
        <Reacceptance version={version} label={version.label} onFollow={onClose} />
      )}
      <TextField
        name="changeSummary"
        label={texts.changeSummaryLabel}
        hint={texts.changeSummaryHelp}
        defaultValue={version.changeSummary ?? ""}
        maxLength={2_000}
        rows={2}
      />
      <TextField
        name="effectiveAt"
        type="datetime-local"
        label={texts.effectiveFrom}
        hint={texts.effectiveFromHelp(timeZone)}
      />
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
  const names = firstComparison(version);
  const [major = 1, minor = 0] = label.split(".").map(Number);
  return (
    <>
      <RadioGroup
        name="requireReacceptance"
        label={texts.reaccept}
        defaultValue="yes"
        options={[
          { id: "yes", label: texts.reacceptYes, hint: texts.reacceptYesHint(`${major + 1}.0`) },
          { id: "no", label: texts.reacceptNo, hint: texts.reacceptNoHint(`${major}.${minor + 1}`) },
        ]}
      />
      {names !== undefined && (
        <p>
          <Link to={`/templates/${version.templateId}/versions?${new URLSearchParams(names)}`} onClick={onFollow}>
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
