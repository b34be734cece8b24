import { useState } from "react";
import type { Campaign } from "#api/campaigns.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useNavigate } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { localOf, momentOf } from "../../ui/local-time.ts";
import { EmptyState } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { useTemplateNames } from "../acceptances/queries.ts";
import { languageName } from "../templates/configuration.ts";
import { useVersions } from "../templates/queries.ts";
import { campaignsPath, useRefreshCampaigns } from "./queries.ts";

interface CampaignDialogProps {
  /** The one that is changed; a new one is drafted when absent. */
  readonly campaign?: Campaign;
  readonly onClose: () => void;
}

/** Drafts a campaign, or changes what may be changed of one: its name, its date and its reminders. */
export function CampaignDialog({ campaign, onClose }: CampaignDialogProps) {
  const texts = useTexts("campaigns");
  const { timeZone } = useLanguage();
  const api = useApi();
  const sendOnce = useSendOnce();
  const navigate = useNavigate();
  const refresh = useRefreshCampaigns();
  const zone = campaign?.reminders?.timeZone ?? timeZone;
  const save = async (values: FormValues) => {
    const dueAt = momentOf(values.text("dueAt"), zone)?.toISOString();
    if (dueAt === undefined) throw wrongInput(texts.badTime, "dueAt");
    const daysBefore = daysIn(values.text("daysBefore"));
    if (daysBefore === undefined) throw wrongInput(texts.badDays, "daysBefore");
    const reminders = { daysBefore, at: values.text("at") || "09:00", timeZone: zone };
    const wish = { name: values.text("name"), dueAt, reminders };
    if (campaign === undefined) {
      const versionId = values.text("versionId");
      const text = { templateId, ...(versionId !== anyText && { versionId }) };
      const made = await sendOnce<Campaign>(campaignsPath, { ...wish, ...text });
      await refresh();
      navigate(`/campaigns/${made.id}`);
      return;
    }
    // A date that stays is not sent again: it may have passed by now.
    const { dueAt: _, ...rest } = wish;
    const isSameDate = values.text("dueAt") === localOf(new Date(campaign.dueAt), zone);
    await api.send("PATCH", `${campaignsPath}/${campaign.id}`, isSameDate ? rest : wish);
    await refresh();
    onClose();
  };
  const isNew = campaign === undefined;
  const { data: templates } = useTemplateNames();
  const [templateId, setTemplateId] = useState("");
  return (
    <Dialog title={isNew ? texts.newTitle : texts.changeTitle} isOpen onClose={onClose}>
      {isNew && templates?.length === 0 ? (
        <EmptyState title={texts.noTemplateTitle} text={texts.noTemplateText} />
      ) : (
        <Form submit={isNew ? texts.draft : texts.save} onSubmit={save} onCancel={onClose}>
          {isNew && <p>{texts.newText}</p>}
          <TextField name="name" label={texts.name} defaultValue={campaign?.name ?? ""} isRequired maxLength={255} />
          {isNew && (
            <Select
              name="templateId"
              label={texts.template}
              hint={texts.templateHint}
              isRequired
              options={(templates ?? []).map(({ id, name }) => ({ id, label: name }))}
              value={templateId || null}
              onChange={(id) => setTemplateId(String(id ?? ""))}
            />
          )}
          {templateId !== "" && <TextSelect key={templateId} templateId={templateId} />}
          <TextField
            name="dueAt"
            type="datetime-local"
            label={texts.due}
            hint={texts.inZone(zone)}
            defaultValue={campaign === undefined ? "" : localOf(new Date(campaign.dueAt), zone)}
            isRequired
          />
          <TextField
            name="daysBefore"
            label={texts.reminderDays}
            hint={texts.reminderDaysHint}
            defaultValue={(campaign?.reminders?.daysBefore ?? [14, 3, 1]).join(", ")}
          />
          <TextField
            name="at"
            label={texts.reminderTime}
            type="time"
            defaultValue={campaign?.reminders?.at ?? "09:00"}
          />
        </Form>
      )}
    </Dialog>
  );
}

const anyText = "*";

/** Whatever is live, or one language from its present revision on. */
function TextSelect({ templateId }: { readonly templateId: string }) {
  const texts = useTexts("campaigns");
  const { locale } = useLanguage();
  const { data: versions = [] } = useVersions(templateId);
  const live = versions.filter(({ status }) => status === "PUBLISHED");
  return (
    <Select
      name="versionId"
      label={texts.text}
      hint={texts.textHint}
      defaultValue={anyText}
      options={[
        { id: anyText, label: texts.anyText },
        ...live.map(({ id, locale: language, label }) => ({
          ...{ id, label: texts.versionOf(languageName(language, locale), label ?? "") },
        })),
      ]}
    />
  );
}

/** Undefined when it is no list of days. */
function daysIn(text: string): number[] | undefined {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  const days = words.map((word) => (/^\d{1,3}$/.test(word) ? Number(word) : Number.NaN));
  const isFine = days.every((day) => day <= 365) && days.length <= 20;
  return isFine ? [...new Set(days)] : undefined;
}
