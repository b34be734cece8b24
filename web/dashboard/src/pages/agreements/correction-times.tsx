import { useTexts } from "../../texts/texts.tsx";
import { Switch } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Correction } from "./correction.ts";

interface CorrectionTimesProps {
  readonly wanted: Correction;
  readonly onChange: (part: Partial<Correction>) => void;
}

/** When those whose turn it is are reminded, and when the agreement expires. */
export function CorrectionTimes({ wanted: { reminders, expiration }, onChange }: CorrectionTimesProps) {
  const texts = useTexts("agreements");
  return (
    <Section title={texts.correctTimes} intro={texts.correctTimesIntro}>
      <Switch isSelected={reminders.enabled} onChange={(enabled) => onChange({ reminders: { ...reminders, enabled } })}>
        {texts.correctReminders}
      </Switch>
      {reminders.enabled && (
        <>
          <DaysField
            name="reminders.delayDays"
            label={texts.correctReminderDelay}
            value={reminders.delayDays}
            onChange={(delayDays) => onChange({ reminders: { ...reminders, delayDays } })}
          />
          <DaysField
            name="reminders.frequencyDays"
            label={texts.correctReminderFrequency}
            value={reminders.frequencyDays}
            onChange={(frequencyDays) => onChange({ reminders: { ...reminders, frequencyDays } })}
          />
        </>
      )}
      <Switch
        isSelected={expiration.enabled}
        onChange={(enabled) => onChange({ expiration: { ...expiration, enabled } })}
      >
        {texts.correctExpires}
      </Switch>
      {expiration.enabled && (
        <DaysField
          name="expiration.afterDays"
          label={texts.correctExpiresAfter}
          value={expiration.afterDays}
          onChange={(afterDays) => onChange({ expiration: { ...expiration, afterDays } })}
        />
      )}
    </Section>
  );
}

interface DaysFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  readonly onChange: (days: number) => void;
}

const mostDays = 999;

function DaysField({ value, onChange, ...named }: DaysFieldProps) {
  const { correctDaysWrong } = useTexts("agreements");
  const isDays = (days: number) => Number.isInteger(days) && days >= 0 && days <= mostDays;
  return (
    <TextField
      {...named}
      type="number"
      value={Number.isNaN(value) ? "" : String(value)}
      onChange={(text) => onChange(text === "" ? Number.NaN : Number(text))}
      isRequired
      validate={(text) => (isDays(Number(text)) ? null : correctDaysWrong)}
    />
  );
}
