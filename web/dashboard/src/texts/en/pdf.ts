export const pdf = {
  page: (name: string, page: number, pages: number) => `${name}, page ${page} of ${pages}`,
  unreadable: "This document cannot be shown here.",
  pageFailed: "This page cannot be shown.",
};
