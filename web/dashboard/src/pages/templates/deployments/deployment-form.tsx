import "../policy/policy.css";
import type { Deployment, FlagValues, Version } from "#api/templates.ts";
import { ApiError, wrongInput } from "../../../api/errors.ts";
import { type Texts, useTexts } from "../../../texts/texts.tsx";
import { Form, type FormValues, Switch } from "../../../ui/form.tsx";
import { Notice } from "../../../ui/states.tsx";
import { type Option, Select, TextField } from "../../../ui/text-field.tsx";
import { BrandField } from "../../brands/brand-select.tsx";
import { type FlagValue, useConfiguration } from "../configuration.ts";
import { FlagField } from "../policy/flag-field.tsx";
import { changedFlags, flagControls, readFlag } from "../policy/flags.ts";
import { named } from "../policy/policy-form.tsx";
import { useTemplate, useVersions } from "../queries.ts";

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
      <DeploymentDetails templateId={templateId} deployment={deployment} policy={policy} />
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

interface DeploymentDetailsProps {
  readonly templateId: string;
  readonly deployment: Deployment | undefined;
  /** Of the template; undefined while it is not known. */
  readonly policy: FlagValues | undefined;
}

/** What few deployments need. */
function DeploymentDetails({ templateId, deployment, policy }: DeploymentDetailsProps) {
  const texts = useTexts("templates");
  const { data: template } = useTemplate(templateId);
  const { theme = {}, brandId = null, screenshotId = null, policyOverrides = {} } = deployment ?? {};
  return (
    <>
      <BrandField chosen={brandId} otherwise={template?.brandId ?? null} />
      <TextField
        name="theme"
        label={texts.theme}
        hint={texts.themeHelp}
        defaultValue={textOfTheme(theme)}
        rows={4}
        spellCheck="false"
        placeholder='{ "accent": "#0a5" }'
      />
      <TextField
        name="screenshotId"
        label={texts.screenshot}
        hint={texts.screenshotHelp}
        defaultValue={screenshotId ?? ""}
        maxLength={100}
        autoComplete="off"
      />
      {policy && (
        <details open={Object.keys(policyOverrides).length > 0}>
          <summary>{texts.overrides}</summary>
          <div className="flag-group">
            <p className="field-hint">{texts.overridesHelp}</p>
            {tightenable.map(([name, control]) => (
              <FlagField
                key={name}
                name={name}
                control={control}
                value={policyOverrides[name] ?? policy[name]}
                fallback={policy[name]}
                usual={texts.inTemplate}
                isReadOnly={false}
              />
            ))}
          </div>
        </details>
      )}
    </>
  );
}

interface DetailValues {
  readonly brandId?: string | null;
  readonly theme?: Deployment["theme"];
  readonly screenshotId?: string | null;
  readonly policyOverrides?: FlagValues;
}

/**
 * Those that were changed, and no others: an override that was stricter once may be none any more since the template
 * has become stricter, and may then stay but not be given anew. Throws what is wrong.
 */
function changedDetails(
  values: FormValues,
  { deployment, policy }: Omit<DeploymentDetailsProps, "templateId">,
  words: { readonly themeWrong: string },
): DetailValues {
  const before = deployment ?? { theme: {}, brandId: null, screenshotId: null, policyOverrides: {} };
  const theme = themeIn(values.text("theme"), words.themeWrong);
  const brandId = values.text("brand") || null;
  const screenshotId = values.text("screenshotId").trim() || null;
  const policyOverrides = policy && overridesIn(values, policy, before.policyOverrides);
  return {
    ...(isSame(theme, before.theme) ? {} : { theme }),
    ...(brandId === before.brandId ? {} : { brandId }),
    ...(screenshotId === before.screenshotId ? {} : { screenshotId }),
    ...(policyOverrides && !isSame(policyOverrides, before.policyOverrides) ? { policyOverrides } : {}),
  };
}

/** What a template says of these holds everywhere. */
const fixed: ReadonlySet<string> = new Set(["allowDecline", "retentionDays"]);
const tightenable = [...flagControls].filter(([name]) => !fixed.has(name));

/** What differs from the template; what was stated before stays stated while it is not changed. */
function overridesIn(values: FormValues, policy: FlagValues, before: FlagValues): FlagValues {
  const shown = new Map<string, FlagValue>(Object.entries({ ...policy, ...before }));
  const wanted = new Map(tightenable.map(([name, control]) => [name, readFlag(values, name, control)]));
  const changed = Object.entries(changedFlags(shown, wanted));
  const back = new Set(changed.filter(([name, value]) => isSame(value, policy[name])).map(([name]) => name));
  return Object.fromEntries([...Object.entries(before), ...changed].filter(([name]) => !back.has(name)));
}

const textOfTheme = (theme: Deployment["theme"]): string =>
  Object.keys(theme).length === 0 ? "" : JSON.stringify(theme, null, 2);

function themeIn(text: string, wrong: string): Deployment["theme"] {
  if (text.trim() === "") return {};
  try {
    const theme: unknown = JSON.parse(text);
    if (typeof theme === "object" && theme !== null && !Array.isArray(theme)) return theme as Deployment["theme"];
  } catch {
    // Said below.
  }
  throw wrongInput(wrong, "theme");
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

type Words = Pick<Texts["templates"], "latest" | "pinned" | "states">;

/** Whatever is published, or always the same version. */
const latest = "LATEST";

/** What a deployment may be told to serve: only what was published can be pinned. */
const servedOptions = (versions: readonly Version[], pinned: string | null, texts: Words): Option[] => [
  { id: latest, label: texts.latest },
  ...versions
    .filter(({ id, isPublished }) => isPublished || id === pinned)
    .map((version) => ({ id: version.id, label: texts.pinned(wordsOf(version, texts)) })),
];

export function servedWords({ versionSelector }: Deployment, versions: readonly Version[], texts: Words): string {
  const { mode, versionId } = versionSelector;
  if (mode === latest) return texts.latest;
  const version = versions.find(({ id }) => id === versionId);
  return texts.pinned(version === undefined ? (versionId ?? "") : wordsOf(version, texts));
}

const wordsOf = ({ locale, label, status }: Version, { states }: Words): string =>
  `${locale} ${label ?? states[status]}`;
