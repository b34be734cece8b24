import "../generation/charts.css";
import "./campaigns.css";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import type { Campaign } from "#api/campaigns.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/wrong-input.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { campaignsPath, useRefreshCampaigns } from "./queries.ts";
import { portionsOf, userRefsIn } from "./user-refs.ts";

const tones = { DRAFT: "info", RUNNING: "success", ENDED: "info", CANCELLED: "warning" } as const;

export function CampaignStatus({ campaign: { status } }: { readonly campaign: Pick<Campaign, "status"> }) {
  const { statuses } = useTexts("campaigns");
  return <Badge tone={tones[status]}>{statuses[status]}</Badge>;
}

const parts = ["accepted", "declined", "withdrawn"] as const;

/** How many have accepted; who declined or withdrew stands out in the bar, and all of it stands in words. */
export function CampaignProgress({ counts }: Pick<Campaign, "counts">) {
  const texts = useTexts("campaigns");
  const words = texts.progressOf(counts);
  return (
    <div className="gen-progress">
      <div
        role="progressbar"
        aria-label={texts.progress}
        aria-valuemin={0}
        aria-valuemax={counts.people}
        aria-valuenow={counts.accepted}
        aria-valuetext={words}
        className="gen-bar campaign-bar"
      >
        {parts.map((part) => (
          <span
            key={part}
            data-part={part}
            style={{ width: `${(100 * counts[part]) / Math.max(1, counts.people)}%` }}
          />
        ))}
      </div>
      <p>{words}</p>
      {counts.unchecked > 0 && <p role="status">{texts.unchecked(counts.unchecked)}</p>}
    </div>
  );
}

const fileTypes = [".csv", ".txt", ".tsv", ".jsonl", ".ndjson", "text/plain", "text/csv", "application/jsonl"];

/** Sends the people of a file, or of a field, portion by portion; sending them again adds nobody twice. */
export function PeopleDialog({ campaign, onClose }: { readonly campaign: Campaign; readonly onClose: () => void }) {
  const texts = useTexts("campaigns");
  const api = useApi();
  const refresh = useRefreshCampaigns();
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState<{ readonly done: number; readonly all: number }>();
  const send = async (values: FormValues) => {
    const found = [values.text("userRefs"), (await file?.text()) ?? ""].flatMap(userRefsIn);
    const userRefs = [...new Set(found)];
    if (userRefs.length === 0) throw wrongInput(texts.nobodyInIt, "userRefs");
    const long = userRefs.find((one) => one.length > 255);
    if (long !== undefined) throw wrongInput(texts.tooLong(long.slice(0, 40)), "userRefs");
    let done = 0;
    for (const portion of portionsOf(userRefs)) {
      setSent({ done, all: userRefs.length });
      await api.send("POST", `${campaignsPath}/${campaign.id}/people`, { userRefs: portion });
      done += portion.length;
    }
    await refresh();
    onClose();
  };
  return (
    <Dialog title={texts.addPeople} isOpen onClose={onClose}>
      <Form submit={texts.addPeople} onSubmit={send} onCancel={onClose}>
        <p>{texts.addPeopleText}</p>
        <div className="campaign-file">
          <FileTrigger acceptedFileTypes={fileTypes} onSelect={(files) => setFile(files?.[0])}>
            <Button>{texts.chooseFile}</Button>
          </FileTrigger>
          <span role="status">{file?.name ?? texts.noFile}</span>
        </div>
        <TextField name="userRefs" label={texts.references} hint={texts.referencesHint} rows={6} />
        {sent !== undefined && <p role="status">{texts.sentOf(sent.done, sent.all)}</p>}
      </Form>
    </Dialog>
  );
}
