import type { ReactNode } from "react";
import { useFile } from "../api/use-file.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./states.tsx";
import { useAction } from "./use-action.ts";

interface DownloadButtonProps {
  /** Of the API. */
  readonly path: string;
  /** What the file is called on the person's machine. */
  readonly fileName: string;
  /** The id of what says which file it is, where several such buttons have the same words. */
  readonly describedBy?: string;
  readonly children: ReactNode;
}

/** Fetches a file and hands it to the browser, so that a refusal is shown on the page instead of being saved. */
export function DownloadButton({ path, fileName, describedBy, children }: DownloadButtonProps) {
  const read = useFile();
  const { run, isBusy, error } = useAction(async () =>
    saveFile(await read(path), fileName.replaceAll(/[\\/:*?"<>|]/g, " ")),
  );
  return (
    <>
      <Button isBusy={isBusy} onPress={() => void run()} {...(describedBy && { "aria-describedby": describedBy })}>
        {children}
      </Button>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}

/** Hands the person a file, as if a link to it had been followed. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Browsers begin to read it a little later; by then the bytes need not be held any longer.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
