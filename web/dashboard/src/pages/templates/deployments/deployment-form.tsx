import type { Deployment } from "#api/templates.ts";
import { ApiError } from "../../../api/errors.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { Form, type FormValues } from "../../../ui/form.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Select } from "../../../ui/select.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useConfiguration } from "../configuration.ts";
import { named } from "../policy/policy-form.tsx";
import { useVersions } from "../queries.ts";
import { changedDetails, DeploymentDetails, type DetailValues } from "./deployment-details.tsx";
import { latest, servedOptions } from "./served-version.ts";

export interface DeploymentValues extends DetailValues {
  readonly name?: string;
  readonly environment: string;
  readonly surface: string;
  readonly displayMode: string;
  readonly wrapType: string;
  readonly versionSelector: { readonly mode: string; readonly versionId?: string };
  readonly localeFallback: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly activate?: boolean;
}

interface DeploymentFormProps {
  readonly templateId: string;
  /** What is changed; nothing when one is created. */
  readonly deployment?: Deployment;
  readonly submit: string;
  readonly onSubmit: (values: DeploymentValues) => Promise<unknown>;
  readonly onCancel: () => void;
}

export function DeploymentForm({ templateId, deployment, submit, onSubmit, onCancel }: DeploymentFormProps) {
  const texts = useTexts("templates");
  const { themeWrong } = texts;
  const { flags } = useTexts("editor");
  const policy = useConfiguration(templateId).data?.effectivePolicy;
  const send = async (values: FormValues) => {
    const details = changedDetails(values, { deployment, policy }, { themeWrong });
    try {
      await onSubmit({ ...valuesOf(values, deployment === undefined), ...details });
    } catch (error) {
      throw error instanceof ApiError ? named(error, (name) => flags.get(name)?.label) : error;
    }
  };
  return (
    <Form submit={submit} onSubmit={send} onCancel={onCancel}>
      {deployment?.status === "ACTIVE" && <Notice tone="warning">{texts.forceText}</Notice>}
      <TextField
        name="name"
        label={texts.deploymentName}
        hint={texts.deploymentNameHelp}
        defaultValue={deployment?.name ?? ""}
        maxLength={255}
      />
      <FormFields deployment={deployment} />
      <ServedVersion templateId={templateId} deployment={deployment} />
      <TextField
        name="allowedOrigins"
        label={texts.origins}
        hint={texts.originsHelp}
        defaultValue={deployment?.allowedOrigins.join("\n") ?? ""}
        rows={3}
      />
      <TextField
        name="localeFallback"
        label={texts.localeFallback}
        hint={texts.localeFallbackHelp}
        defaultValue={deployment?.localeFallback.join(", ") ?? ""}
      />
      <DeploymentDetails deployment={deployment} policy={policy} />
      {deployment === undefined && <Switch name="activate">{texts.activateAtOnce}</Switch>}
    </Form>
  );
}

/** Where and how it is shown. */
function FormFields({ deployment }: { readonly deployment: Deployment | undefined }) {
  const texts = useTexts("templates");
  const choices = [
    ["environment", texts.environment, texts.environments, deployment?.environment ?? "LIVE"],
    ["surface", texts.surface, texts.surfaces, deployment?.surface ?? "WEB"],
    ["displayMode", texts.displayMode, texts.displayModes, deployment?.displayMode ?? "INLINE"],
    ["wrapType", texts.wrapType, texts.wrapTypes, deployment?.wrapType ?? "CLICKWRAP"],
  ] as const;
  return (
    <div className="template-filters">
      {choices.map(([name, label, words, value]) => (
        <Select
          key={name}
          name={name}
          label={label}
          options={Object.entries(words).map(([id, text]) => ({ id, label: text }))}
          defaultValue={value}
        />
      ))}
    </div>
  );
}

type ServedVersionProps = Pick<DeploymentFormProps, "templateId"> & { readonly deployment: Deployment | undefined };

function ServedVersion({ templateId, deployment }: ServedVersionProps) {
  const texts = useTexts("templates");
  const { data: versions = [] } = useVersions(templateId);
  const pinned = deployment?.versionSelector.versionId ?? null;
  return (
    <Select
      name="served"
      label={texts.servedVersion}
      options={servedOptions(versions, pinned, texts)}
      defaultValue={pinned ?? latest}
    />
  );
}

function valuesOf(values: FormValues, isNew: boolean): DeploymentValues {
  const name = values.text("name").trim();
  const served = values.text("served");
  return {
    ...(name === "" ? {} : { name }),
    environment: values.text("environment"),
    surface: values.text("surface"),
    displayMode: values.text("displayMode"),
    wrapType: values.text("wrapType"),
    versionSelector: served === latest ? { mode: latest } : { mode: "PINNED", versionId: served },
    localeFallback: listIn(values.text("localeFallback")),
    allowedOrigins: listIn(values.text("allowedOrigins")),
    ...(isNew ? { activate: values.isOn("activate") } : {}),
  };
}

/** What stands between commas, spaces or ends of lines. */
const listIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
