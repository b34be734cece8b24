import "./table.css";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { ErrorState } from "./states.tsx";

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

/** A list as a query reads it page by page. */
export interface PagedList {
  readonly data: { readonly pages: readonly { readonly next?: string | undefined }[] } | undefined;
  readonly error: unknown;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Below the rows of a list: leads to more of them, and says why they could not be read. */
export function MoreRows({ list }: { readonly list: PagedList }) {
  const readMore = () => void list.fetchNextPage();
  return (
    <>
      {list.isFetchNextPageError && <ErrorState error={list.error} retry={readMore} />}
      <Pager next={list.data?.pages.at(-1)?.next} isBusy={list.isFetchingNextPage} onMore={readMore} />
    </>
  );
}
