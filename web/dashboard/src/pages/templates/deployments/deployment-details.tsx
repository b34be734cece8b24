import type { Deployment, FlagValues } from "#api/templates.ts";
import { wrongInput } from "../../../api/wrong-input.ts";
import { useTexts } from "../../../texts/texts.tsx";
import type { FormValues } from "../../../ui/form.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { FlagValue } from "../configuration.ts";
import { FlagField } from "../policy/flag-field.tsx";
import { changedFlags, flagControls, readFlag } from "../policy/flags.ts";
import "../policy/policy.css";

interface DeploymentDetailsProps {
  readonly deployment: Deployment | undefined;
  /** Of the template; undefined while it is not known. */
  readonly policy: FlagValues | undefined;
}

/** What few deployments need. */
export function DeploymentDetails({ deployment, policy }: DeploymentDetailsProps) {
  const texts = useTexts("templates");
  const { theme = {}, screenshotId = null, policyOverrides = {} } = deployment ?? {};
  return (
    <>
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

export interface DetailValues {
  readonly theme?: Deployment["theme"];
  readonly screenshotId?: string | null;
  readonly policyOverrides?: FlagValues;
}

/**
 * Those that were changed, and no others: an override that was stricter once may be none any more since the template
 * has become stricter, and may then stay but not be given anew. Throws what is wrong.
 */
export function changedDetails(
  values: FormValues,
  { deployment, policy }: DeploymentDetailsProps,
  words: { readonly themeWrong: string },
): DetailValues {
  const before = deployment ?? { theme: {}, screenshotId: null, policyOverrides: {} };
  const theme = themeIn(values.text("theme"), words.themeWrong);
  const screenshotId = values.text("screenshotId").trim() || null;
  const policyOverrides = policy && overridesIn(values, policy, before.policyOverrides);
  return {
    ...(isSame(theme, before.theme) ? {} : { theme }),
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
