import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ExportSchedule } from "#api/exports.ts";
import { useApi } from "../../api/client.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues, RadioGroup } from "../../ui/form.tsx";
import { optionOf, settingOf, useTimeZoneOptions } from "../../ui/locale-options.ts";
import { Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { Loaded, RowButtons } from "../access/parts.tsx";
import { privacyKey, useRefresh } from "./queries.ts";

const path = "/v1/privacy/export-schedules";
type Interval = ExportSchedule["every"];

/** Exports of acceptances that come by themselves. */
export function ExportSchedules() {
  const texts = useTexts("privacy");
  const api = useApi();
  const schedules = useQuery({
    queryKey: [...privacyKey, "export-schedules"],
    queryFn: () => api.get<ExportSchedule[]>(path),
  });
  const [isAdding, setIsAdding] = useState(false);
  const [changing, setChanging] = useState<ExportSchedule>();
  const [ending, setEnding] = useState<ExportSchedule>();
  const refresh = useRefresh();
  const columns = useColumns(setChanging, setEnding);
  return (
    <Section
      title={texts.schedules}
      intro={texts.schedulesIntro}
      actions={<Button onPress={() => setIsAdding(true)}>{texts.addSchedule}</Button>}
    >
      <Loaded query={schedules}>
        {(rows) => (
          <Table
            label={texts.schedules}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.noScheduleTitle} text={texts.noScheduleText} />}
          />
        )}
      </Loaded>
      {isAdding && <ScheduleDialog onClose={() => setIsAdding(false)} />}
      {changing && <ScheduleDialog schedule={changing} onClose={() => setChanging(undefined)} />}
      {ending && (
        <ConfirmDialog
          isOpen
          title={texts.deleteScheduleTitle}
          text={texts.deleteScheduleText}
          action={texts.deleteSchedule}
          onConfirm={async () => {
            await api.send("DELETE", `${path}/${ending.id}`);
            await refresh();
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Section>
  );
}

/** The names of the days of a week, from Monday on. */
function useWeekdays(): readonly string[] {
  const { locale } = useLanguage();
  const { format } = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });
  // The fifth of January 1970 was a Monday.
  return Array.from({ length: 7 }, (_, index) => format(Date.UTC(1970, 0, 5 + index)));
}

type Choose = (schedule: ExportSchedule) => void;

/** When a schedule comes, in words. */
function useRuleOf(): (schedule: ExportSchedule) => string {
  const texts = useTexts("privacy");
  const weekdays = useWeekdays();
  return ({ every, day, at }) =>
    texts.scheduleRule[every](at, every === "weekly" ? (weekdays[day - 1] ?? "") : String(day));
}

function useColumns(onChange: Choose, onEnd: Choose): readonly Column<ExportSchedule>[] {
  const texts = useTexts("privacy");
  const ruleOf = useRuleOf();
  return [
    {
      id: "when",
      title: texts.scheduleWhen,
      cell: (schedule) => (
        <span className="stacked">
          {ruleOf(schedule)}
          <small>
            {[schedule.timeZone.replaceAll("_", " "), schedule.format === "csv" ? "CSV" : "JSON Lines"].join(" · ")}
          </small>
        </span>
      ),
    },
    {
      id: "next",
      title: texts.scheduleNext,
      cell: ({ nextAt }) =>
        nextAt === null ? <Badge tone="warning">{texts.schedulePaused}</Badge> : <Time value={nextAt} />,
    },
    {
      id: "buttons",
      title: "",
      align: "end",
      cell: (schedule) => (
        <RowButtons>
          <Button
            kind="quiet"
            aria-label={texts.ofSchedule(texts.changeSchedule, ruleOf(schedule))}
            onPress={() => onChange(schedule)}
          >
            {texts.changeSchedule}
          </Button>
          <PauseButton schedule={schedule} />
          <Button
            kind="quiet"
            aria-label={texts.ofSchedule(texts.deleteSchedule, ruleOf(schedule))}
            onPress={() => onEnd(schedule)}
          >
            {texts.deleteSchedule}
          </Button>
        </RowButtons>
      ),
    },
  ];
}

function PauseButton({ schedule }: { readonly schedule: ExportSchedule }) {
  const { id, paused } = schedule;
  const texts = useTexts("privacy");
  const ruleOf = useRuleOf();
  const api = useApi();
  const refresh = useRefresh();
  const { run, isBusy } = useAction(async () => {
    await api.send("PATCH", `${path}/${id}`, { paused: !paused });
    await refresh();
  });
  const action = paused ? texts.resumeSchedule : texts.pauseSchedule;
  return (
    <Button
      kind="quiet"
      aria-label={texts.ofSchedule(action, ruleOf(schedule))}
      isBusy={isBusy}
      onPress={() => void run()}
    >
      {action}
    </Button>
  );
}

interface ScheduleDialogProps {
  /** The one that is changed; a new one is made when absent. */
  readonly schedule?: ExportSchedule;
  readonly onClose: () => void;
}

function ScheduleDialog({ schedule, onClose }: ScheduleDialogProps) {
  const texts = useTexts("privacy");
  const { csvHelp, jsonlHelp, exportFormat } = useTexts("acceptances");
  const api = useApi();
  const sendOnce = useSendOnce();
  const refresh = useRefresh();
  const weekdays = useWeekdays();
  const [every, setEvery] = useState<Interval>(schedule?.every ?? "weekly");
  const zone = schedule?.timeZone ?? null;
  const zones = useTimeZoneOptions(zone, texts.scheduleOrganizationZone);
  const days = every === "weekly" ? weekdays : Array.from({ length: 31 }, (_, index) => String(index + 1));
  const save = async (values: FormValues) => {
    const timeZone = settingOf(values.text("timeZone"));
    const wish = {
      ...{ format: values.text("format"), every, at: values.text("at") },
      ...(every !== "daily" && { day: Number(values.text("day")) }),
      ...(timeZone !== null && { timeZone }),
    };
    await (schedule === undefined ? sendOnce(path, wish) : api.send("PATCH", `${path}/${schedule.id}`, wish));
    await refresh();
    onClose();
  };
  const intervals = (["daily", "weekly", "monthly"] as const).map((id) => ({ id, label: texts.scheduleEvery[id] }));
  const formats = [
    { id: "csv", label: "CSV", hint: csvHelp },
    { id: "jsonl", label: "JSON Lines", hint: jsonlHelp },
  ];
  const isNew = schedule === undefined;
  return (
    <Dialog title={isNew ? texts.addSchedule : texts.changeScheduleTitle} isOpen onClose={onClose}>
      <Form submit={isNew ? texts.addSchedule : texts.saveSchedule} onSubmit={save} onCancel={onClose}>
        <p>{isNew ? texts.addScheduleText : texts.changeScheduleText}</p>
        <RadioGroup
          label={texts.scheduleInterval}
          options={intervals}
          value={every}
          onChange={(value) => setEvery(value as Interval)}
        />
        {every !== "daily" && (
          <Select
            key={every}
            name="day"
            label={texts.scheduleDay}
            options={days.map((label, index) => ({ id: String(index + 1), label }))}
            defaultValue={every === schedule?.every ? String(schedule.day) : "1"}
            {...(every === "monthly" && { hint: texts.scheduleDayHint })}
          />
        )}
        <TextField name="at" label={texts.scheduleTime} type="time" defaultValue={schedule?.at ?? "06:00"} isRequired />
        <Select
          name="timeZone"
          label={texts.scheduleZone}
          options={isNew ? zones : zones.filter(({ id }) => settingOf(id) !== null)}
          defaultValue={optionOf(zone)}
        />
        <RadioGroup name="format" label={exportFormat} options={formats} defaultValue={schedule?.format ?? "csv"} />
      </Form>
    </Dialog>
  );
}
