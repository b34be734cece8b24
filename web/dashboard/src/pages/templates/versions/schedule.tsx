import { useEffect } from "react";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { type Texts, useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import type { FormValues } from "../../../ui/form.tsx";
import { RadioGroup } from "../../../ui/form.tsx";
import { MomentField, momentIn } from "../../../ui/moment-field.tsx";
import { Time } from "../../../ui/time.tsx";
import { useTemplateChanges, versionPath } from "../queries.ts";

/** A timer cannot wait for longer. */
const longestTimerMs = 2 ** 31 - 1;
/** So that the answer is mostly the new text, although clocks differ; until it is, we ask again. */
const afterMs = 2_000;

/** Reads anew when the publication comes that is next, until it has come. */
export function useReadAtPublication(times: readonly (string | null | undefined)[], read: () => unknown): void {
  const next = Math.min(...times.flatMap((time) => (time ? Date.parse(time) : [])));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      const waitMs = Math.max(next - Date.now(), 0) + afterMs;
      timer = setTimeout(ask, Math.min(waitMs, longestTimerMs));
    };
    const ask = () => {
      if (next <= Date.now()) void read();
      wait();
    };
    if (Number.isFinite(next)) wait();
    return () => clearTimeout(timer);
  }, [next, read]);
}

/** The same of the versions of a template. */
export function useReadAtPublications(templateId: string, versions: readonly Version[] = []): void {
  const { templateChanged } = useTemplateChanges();
  useReadAtPublication(
    versions.map(({ schedule }) => schedule?.publishAt),
    () => templateChanged(templateId),
  );
}

/** When its publication comes. */
export function ScheduleNote({ version: { schedule } }: { readonly version: Version }) {
  const texts = useTexts("templates");
  if (schedule === null) return null;
  return (
    <div className="template-aside">
      <Badge tone="warning">{texts.scheduled}</Badge> {texts.scheduledFor(schedule.label)}{" "}
      <Time value={schedule.publishAt} seconds />
    </div>
  );
}

interface CancelScheduleProps {
  readonly version: Version;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CancelScheduleDialog({ version, isOpen, onClose }: CancelScheduleProps) {
  const texts = useTexts("templates");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const cancel = async () => {
    try {
      await api.send("DELETE", `${versionPath(version)}/schedule`);
    } finally {
      await templateChanged(version.templateId);
    }
  };
  return (
    <ConfirmDialog
      title={texts.cancelScheduleTitle}
      text={texts.cancelScheduleText}
      action={texts.cancelSchedule}
      isOpen={isOpen}
      onConfirm={cancel}
      onClose={onClose}
    />
  );
}

export type When = "now" | "at";

interface PublishTimeProps {
  readonly when: When;
  readonly onChange: (when: When) => void;
  /** For when it is scheduled. */
  readonly publishAt: string | undefined;
}

/** Whether a text is published now or at a time. */
export function PublishTime({ when, onChange, publishAt }: PublishTimeProps) {
  const texts = useTexts("templates");
  const { timeZone } = useLanguage();
  const choices = [
    { id: "now", label: texts.whenNow },
    { id: "at", label: texts.whenAt },
  ];
  return (
    <>
      <RadioGroup label={texts.when} options={choices} value={when} onChange={(id) => onChange(id as When)} />
      {when === "at" && (
        <MomentField
          name="publishAt"
          label={texts.publishAtLabel}
          hint={texts.publishAtHelp(timeZone)}
          twice={texts.publishAtTwice}
          told={texts.goesLive}
          initial={publishAt}
        />
      )}
    </>
  );
}

type Words = Pick<Texts["templates"], "publishAtMissing" | "publishAtOver" | "badTime">;

/** Throws what the form shows at its field. */
export const publishTimeIn = (values: FormValues, timeZone: string, texts: Words): Date =>
  momentIn(values, "publishAt", timeZone, {
    badTime: texts.badTime,
    missing: texts.publishAtMissing,
    over: texts.publishAtOver,
  });
