import { useEffect, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Notice } from "./states.tsx";
import "./notice.css";

/** Something to be copied, such as a command line. */
export function CopyLine({ text }: { readonly text: string }) {
  const { copy, copied } = useTexts("common");
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <div className="copy-line">
      <code>{text}</code>
      <Button kind="quiet" icon={isCopied ? "check" : "copy"} onPress={() => void copyText(text).then(setIsCopied)}>
        {isCopied ? copied : copy}
      </Button>
      <span className="unseen" role="status">
        {isCopied && copied}
      </span>
    </div>
  );
}

/** A secret that is shown this once. */
export function Secret({ value, label }: { readonly value: string; readonly label?: string }) {
  const { secretOnce } = useTexts("common");
  return (
    <div className="secret">
      <Notice tone="warning">{secretOnce}</Notice>
      {label && <strong>{label}</strong>}
      <CopyLine text={value} />
    </div>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without permission, or over plain HTTP from another machine: the text can be marked by hand.
    return false;
  }
}
