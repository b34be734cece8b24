import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import "./table.css";

interface PagerProps {
  /** The cursor of the next page; undefined when there is no more. */
  readonly next: string | undefined;
  readonly isBusy?: boolean;
  readonly onMore: (next: string) => void;
}

/** Leads to more rows of a list. */
export function Pager({ next, isBusy = false, onMore }: PagerProps) {
  const { more } = useTexts("common");
  if (next === undefined) return null;
  return (
    <div className="pager">
      <Button isBusy={isBusy} onPress={() => onMore(next)}>
        {more}
      </Button>
    </div>
  );
}
