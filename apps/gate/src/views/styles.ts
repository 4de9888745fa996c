/** The only style sheet of the gate's pages. Colors and sizes match the notebook's pages, so that both look alike. */
export const styles = `
:root {
  color-scheme: light dark;
  --desk: light-dark(#eeece7, #121314);
  --sheet: light-dark(#fffefc, #1b1c1e);
  --ink: light-dark(#23211e, #e6e3dd);
  --ink-soft: light-dark(#5c5851, #a8a49c);
  --rule: light-dark(#dbd7ce, #35373b);
  --edge: light-dark(#8a857b, #74767c);
  --accent: light-dark(#1b5675, #8cc4e0);
  --accent-strong: light-dark(#123f57, #b4dcf0);
  --accent-wash: light-dark(#e3eef4, #1d2f39);
  --on-accent: light-dark(#ffffff, #10212b);
  --shade: light-dark(rgb(60 50 30 / 0.09), rgb(0 0 0 / 0.45));
  --good: light-dark(#1e6b3c, #86cf9f);
  --good-wash: light-dark(#e6f3ea, #17291e);
  --warn: light-dark(#85500a, #e6b566);
  --warn-wash: light-dark(#fbf1dd, #2e2616);
  --bad: light-dark(#a3282c, #f19a94);
  --bad-wash: light-dark(#fbeaea, #341d1d);
}
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--desk); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100dvh;
  display: grid;
  place-items: center;
  padding: clamp(1rem, 5vw, 3rem);
  background: var(--desk);
  color: var(--ink);
  font: 400 1rem / 1.5 Inter, "Noto Sans", system-ui, sans-serif;
  overflow-wrap: anywhere;
}
main {
  width: min(100%, 26rem);
  padding: clamp(1.5rem, 6vw, 2.5rem);
  background: var(--sheet);
  border: 1px solid var(--rule);
  border-radius: 10px;
  box-shadow: 0 8px 30px var(--shade);
}
.site { margin: 0 0 1.25rem; color: var(--ink-soft); font-size: 0.875rem; }
h1 {
  margin: 0 0 0.5rem;
  font: 620 clamp(1.6rem, 1.4rem + 1.2vw, 2rem) / 1.2 "Source Serif 4", Charter, Georgia, "Noto Serif", "DejaVu Serif", serif;
  letter-spacing: -0.01em;
  text-wrap: balance;
}
p { margin: 0 0 1rem; }
.soft { color: var(--ink-soft); }
.small { font-size: 0.875rem; }
ul.providers { list-style: none; margin: 1.25rem 0; padding: 0; display: grid; gap: 0.625rem; }
.button {
  display: flex;
  align-items: center;
  justify-content: space-between;
  gap: 0.75rem;
  width: 100%;
  min-height: 3rem;
  padding: 0.625rem 1rem;
  border: 1px solid var(--edge);
  border-radius: 6px;
  background: var(--sheet);
  color: var(--ink);
  font: inherit;
  font-weight: 600;
  text-align: start;
  text-decoration: none;
  cursor: pointer;
}
.button:hover { border-color: var(--accent); background: var(--accent-wash); }
.button.first { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.first:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
.button small { font-weight: 400; opacity: 0.85; }
form { margin: 0; }
form.email { display: grid; gap: 0.5rem; margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); }
label { font-weight: 600; }
input {
  width: 100%;
  min-height: 3rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: 6px;
  background: var(--sheet);
  color: var(--ink);
  font: inherit;
}
a { color: var(--accent); text-underline-offset: 0.18em; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 + .note { margin-top: 1rem; }
.note { margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-radius: 6px; border-inline-start: 3px solid; }
.note.good { background: var(--good-wash); border-color: var(--good); }
.note.warn { background: var(--warn-wash); border-color: var(--warn); }
.note.bad { background: var(--bad-wash); border-color: var(--bad); }
.code { margin: 1.5rem 0 0; color: var(--ink-soft); font: 400 0.8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.actions { display: grid; gap: 0.625rem; margin-top: 1.5rem; }
.actions + p { margin-top: 1rem; }
@media (forced-colors: active) { .note, main { border: 1px solid; } }
`;
