import { useEffect, useState } from "react";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { wrongInput } from "../../../api/errors.ts";
import { type Texts, useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import type { FormValues } from "../../../ui/form.tsx";
import { RadioGroup } from "../../../ui/form.tsx";
import { localOf, momentsOf } from "../../../ui/local-time.ts";
import { TextField } from "../../../ui/text-field.tsx";
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

/** Whether a text is published now or at a time, which is written as the person's clocks show it. */
export function PublishTime({ when, onChange, publishAt }: PublishTimeProps) {
  const texts = useTexts("templates");
  const { timeZone, times } = useLanguage();
  const [local, setLocal] = useState(publishAt === undefined ? "" : localOf(new Date(publishAt), timeZone));
  const moments = momentsOf(local, timeZone);
  const isOf = (one: Date) => publishAt !== undefined && one.getTime() === Date.parse(publishAt);
  const [turn, setTurn] = useState(() => String(Math.max(0, moments.findIndex(isOf))));
  const moment = moments[Number(turn)] ?? moments[0];
  const choices = [
    { id: "now", label: texts.whenNow },
    { id: "at", label: texts.whenAt },
  ];
  return (
    <>
      <RadioGroup label={texts.when} options={choices} value={when} onChange={(id) => onChange(id as When)} />
      {when === "at" && (
        <>
          <TextField
            name="publishAt"
            type="datetime-local"
            label={texts.publishAtLabel}
            hint={texts.publishAtHelp(timeZone)}
            isRequired
            value={local}
            onChange={setLocal}
          />
          {moments.length > 1 && (
            <RadioGroup
              name="publishAtTurn"
              label={texts.publishAtTwice}
              value={turn}
              onChange={setTurn}
              options={moments.map((one, index) => ({ id: String(index), label: times.fully(one.toISOString()) }))}
            />
          )}
          <p role="status">{moment !== undefined && texts.goesLive(times.fully(moment.toISOString()))}</p>
        </>
      )}
    </>
  );
}

type Words = Pick<Texts["templates"], "publishAtMissing" | "publishAtOver" | "badTime">;

/** Throws what the form shows at its field. */
export function publishTimeIn(values: FormValues, timeZone: string, texts: Words): Date {
  const written = values.text("publishAt");
  const moments = momentsOf(written, timeZone);
  const moment = moments[Number(values.text("publishAtTurn"))] ?? moments[0];
  if (moment === undefined) throw wrongInput(written === "" ? texts.badTime : texts.publishAtMissing, "publishAt");
  if (moment.getTime() <= Date.now()) throw wrongInput(texts.publishAtOver, "publishAt");
  return moment;
}
