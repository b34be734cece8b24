import { ErrorState } from "./error-state.tsx";
import { Pager } from "./pager.tsx";

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
