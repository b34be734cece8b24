import "../generation/charts.css";
import "./campaigns.css";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import type { Campaign } from "#api/campaigns.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { campaignsPath, useRefreshCampaigns } from "./queries.ts";

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

/** What one request takes, with room to spare in its bytes. */
const mostReferences = 5_000;
const mostBytes = 800_000;

/** Words above a column of references, in files that were made by programs. */
const headings = /^["\uFEFF]*(user_?ref|user|userid|user_id|id)"?$/i;

/**
 * The references in a file, each once, in their order: those in the first column of a table, those of lines of JSON, which
 * are texts or have a `userRef`, or a reference in each line.
 */
function userRefsIn(text: string): string[] {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  const rows = headings.test(firstCell(first)) ? lines.slice(1) : lines;
  return [...new Set(rows.map(referenceIn).filter((reference) => reference !== ""))];
}

function referenceIn(line: string): string {
  if (!line.startsWith("{")) return firstCell(line).trim();
  try {
    const { userRef } = JSON.parse(line) as { readonly userRef?: unknown };
    return typeof userRef === "string" ? userRef : "";
  } catch {
    return "";
  }
}

/** Of a line of a table, whose cells may be in quotes; lists with semicolons are tables, too. */
function firstCell(line: string): string {
  const quoted = /^"((?:[^"]|"")*)"/.exec(line)?.[1];
  return quoted === undefined ? (line.split(/[,;\t]/, 1)[0] ?? "") : quoted.replaceAll('""', '"');
}

/** The same in portions that requests take. */
function portionsOf(userRefs: readonly string[]): string[][] {
  const portions: string[][] = [];
  let bytes = 0;
  for (const reference of userRefs) {
    const size = new TextEncoder().encode(JSON.stringify(reference)).length + 1;
    const last = portions.at(-1);
    if (last === undefined || last.length === mostReferences || bytes + size > mostBytes) {
      portions.push([reference]);
      bytes = size;
    } else {
      last.push(reference);
      bytes += size;
    }
  }
  return portions;
}
