/** Light and dark, from wide screens to phones, and on paper. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1c2430; --quiet: #5a6575; --page: #fff; --side: #f5f7fa; --line: #dce2ea; --soft: #f0f3f7; --link: #0b57b7;
  --get: #0b57b7; --post: #17703a; --put: #6b3fa0; --patch: #8a5300; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e3e8ef; --quiet: #9aa6b6; --page: #12161c; --side: #181d25; --line: #2c3541; --soft: #1c222b; --link: #8ab8ff;
    --get: #8ab8ff; --post: #77d79b; --put: #c6a5f0; --patch: #f1bd6c; --delete: #ff9d94;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--page); z-index: 1; }
.layout { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem 1.25rem; background: var(--side);
  border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav .name { font-size: 1rem; font-weight: 700; margin: 0 0 1rem; }
nav .name a { color: inherit; text-decoration: none; }
nav .menu > p { margin: 1.25rem 0 .25rem; color: var(--quiet); font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; }
nav li > a { display: block; padding: .2rem 0; color: var(--quiet); text-decoration: none; }
nav li > a:hover { color: var(--link); text-decoration: underline; }
nav .menu > ul > li > a { font-weight: 600; color: var(--text); }
nav a[aria-current] { color: var(--link) !important; }
nav ul ul { margin: 0 0 .5rem; padding-left: .75rem; border-left: 1px solid var(--line); }
main { padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem; max-width: 68rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--quiet); }
h2 { font-size: 1.4rem; margin: 2.5rem 0 .5rem; }
.schemas > h2 { margin-top: 4rem; padding-bottom: .4rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0 0 .5rem; font-weight: 600; overflow-wrap: anywhere; }
.operation h2 { font-size: 1.15rem; margin: 0 0 .5rem; }
.operation h3 { font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; color: var(--quiet); margin: 1.5rem 0 .5rem; }
.address { overflow-wrap: anywhere; }
p { margin: .5rem 0; }
.operation, .schema { margin: 1.75rem 0; padding: 1.25rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: .6rem; }
.operation:target, .schema:target { border-color: var(--link); }
code, pre { font: .85em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
:not(pre) > code { background: var(--soft); padding: .1em .3em; border-radius: .25em; overflow-wrap: anywhere; }
code.path { background: none; padding: 0; font-size: .95rem; }
pre { margin: .5rem 0; padding: .8rem 1rem; background: var(--soft); border-radius: .4rem; overflow-x: auto; max-height: 32rem; }
.code { position: relative; }
.code pre { padding-right: 5rem; min-height: 3.6rem; }
.method { display: inline-block; min-width: 4.4em; margin-right: .4rem; padding: .1em .5em; border: 1px solid; border-radius: .3em;
  font: 600 .78rem/1.5 ui-monospace, monospace; text-transform: uppercase; text-align: center; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.status { font: 600 .85rem ui-monospace, monospace; color: var(--post); margin-right: .4rem; }
.answer { margin: .5rem 0 1rem; }
.media { font-size: .9rem; }
.optional { color: var(--quiet); white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th { font-weight: 600; color: var(--quiet); }
th, td { text-align: left; vertical-align: top; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); }
td:first-child code { white-space: nowrap; }
td:last-child { min-width: 12rem; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; padding: .2rem 0; }
.schema > details > summary { margin-top: .5rem; }
.search { position: relative; margin: 0 0 1rem; }
.search label { display: block; font-weight: 600; }
input, textarea, .copy, .tryout button { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--quiet); border-radius: .3rem; padding: .35rem .6rem; }
.copy { position: absolute; top: .4rem; right: .4rem; min-height: 1.75rem; padding: .1rem .6rem; font-size: .8rem; cursor: pointer; }
input:focus-visible, textarea:focus-visible, button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.search input { width: 100%; }
.search ul { margin: .5rem 0 0; }
.search li > a { overflow-wrap: anywhere; }
.search ul:not(:empty) { max-height: 60vh; overflow-y: auto; border: 1px solid var(--line); border-radius: .3rem; padding: .25rem .6rem; background: var(--page); }
.languages { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; padding: .5rem 0; border: 0;
  border-bottom: 1px solid var(--line); background: var(--page); }
.languages legend { float: left; margin-right: 1.25rem; padding: 0; color: var(--quiet); }
.languages label { display: inline-flex; gap: .4rem; align-items: center; min-height: 1.5rem; }
.languages input { accent-color: var(--link); }
.operation { scroll-margin-top: 4rem; }
body:has(#language-curl:checked) .sample:not(.curl), body:has(#language-typescript:checked) .sample:not(.typescript),
body:has(#language-python:checked) .sample:not(.python) { display: none; }
.groups { columns: 22rem; column-gap: 2.5rem; }
.groups section { break-inside: avoid; }
.groups h2 { margin-top: 0; padding-top: 1.5rem; }
.areas { margin: 0; list-style: none; padding: 0; }
.areas li { padding: .6rem 0; border-bottom: 1px solid var(--line); }
.areas a { font-weight: 600; }
.areas span { display: block; color: var(--quiet); }
.tryout { margin: .75rem 0; }
.tryout button { cursor: pointer; min-height: 2rem; }
.tryout form { display: grid; gap: .6rem; margin-top: .75rem; padding: 1rem; border: 1px solid var(--line); border-radius: .4rem; }
.tryout label { display: grid; gap: .2rem; font-size: .9rem; font-weight: 600; }
.tryout input, .tryout textarea { width: 100%; font: .85em/1.5 ui-monospace, monospace; font-weight: 400; }
.tryout button[type=submit] { justify-self: start; color: #fff; background: #0b57b7; border-color: #0b57b7; }
.problem { color: var(--delete); }
@media (max-width: 60rem) {
  .layout { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  nav .name { margin: 0 0 .5rem; }
  nav .search { margin: 0 0 .5rem; }
  nav li > a { padding: .35rem 0; }
  .menu > summary { min-height: 2rem; font-size: 1rem; }
  main { padding-top: 1.25rem; }
  .operation, .schema { padding: 1rem; }
}
@media (min-width: 60.01rem) {
  /* Open from the first moment on; elsewhere the script opens it, and until then the summary does. */
  @supports selector(::details-content) {
    .menu > summary { display: none; }
    .menu::details-content { content-visibility: visible; display: block; }
  }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -99rem; }
  tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; padding: .1rem 0; border: 0; }
  td:first-child code { white-space: normal; }
  td:empty { display: none; }
}
@media print { nav, .languages, .tryout { display: none; } .layout { display: block; } .operation, .schema { break-inside: avoid-page; } }
`;
