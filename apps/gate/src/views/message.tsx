import { signInUrl, urls } from '../urls.ts';
import { renderPage } from './page.tsx';

export interface MessageView {
  readonly site: string;
  readonly title: string;
  readonly text: string;
  readonly detail?: string | undefined;
  /** A stable code that people can quote. */
  readonly code?: string | undefined;
  readonly actions?: readonly { readonly href: string; readonly label: string }[];
}

export function renderMessage(view: MessageView): string {
  return renderPage({
    title: view.title,
    site: view.site,
    children: (
      <>
        <h1>{view.title}</h1>
        <p>{view.text}</p>
        {view.detail !== undefined && <p class="soft">{sentence(view.detail)}</p>}
        {view.actions !== undefined && view.actions.length > 0 && (
          <div class="actions">
            {view.actions.map((action, at) => (
              <a key={action.href} class={at === 0 ? 'button first' : 'button'} href={action.href}>
                {action.label}
              </a>
            ))}
          </div>
        )}
        {view.code !== undefined && <p class="code">{view.code}</p>}
      </>
    ),
  });
}

/** Turns a reason into a sentence; programs get the reason as it is. A parameter's name keeps its spelling. */
function sentence(text: string): string {
  const begun = /^[a-z]+ /.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

export interface SignOutView {
  readonly site: string;
  readonly who: string | undefined;
  readonly provider: string | undefined;
  /** The application that asks for the sign-out. */
  readonly application: string | undefined;
  /** The next steps, sealed. */
  readonly after: string | undefined;
}

export function renderSignOut({ site, who, provider, application, after }: SignOutView): string {
  return renderPage({
    title: 'Sign out',
    site,
    children: (
      <>
        <h1>{who === undefined ? 'You are not signed in' : 'Sign out?'}</h1>
        {application !== undefined && <p>{application} asks to sign you out everywhere.</p>}
        {who !== undefined && <p>You are signed in as {who}.</p>}
        {who === undefined ? (
          <div class="actions">
            <a class="button first" href={urls.signIn}>
              Sign in
            </a>
          </div>
        ) : (
          <form method="post" action={urls.signOut} class="actions">
            {after !== undefined && <input type="hidden" name="after" value={after} />}
            <button class="button first" type="submit">
              Sign out
            </button>
            <a class="button" href="/">
              Stay signed in
            </a>
          </form>
        )}
        {provider !== undefined && <p class="small soft">This also asks {provider} to sign you out of its other applications.</p>}
      </>
    ),
  });
}

export interface SignedOutView {
  readonly site: string;
  readonly outcome: 'here' | 'complete' | 'half-done' | 'not-asked';
  /** The provider that was asked to sign the person out everywhere. */
  readonly provider: string | undefined;
  /** Applications that did not confirm. */
  readonly silent: readonly string[];
  /** The application that asked for the sign-out. */
  readonly back: { readonly url: string; readonly name: string } | undefined;
}

export function renderSignedOut({ site, outcome, provider, silent, back }: SignedOutView): string {
  const unconfirmed = [...(outcome === 'half-done' ? [provider ?? 'your provider'] : []), ...silent];
  return renderPage({
    title: 'Signed out',
    site,
    children: (
      <>
        <h1>You are signed out</h1>
        {outcome === 'complete' && <p class="note good">{provider} signed you out as well.</p>}
        {outcome === 'not-asked' && (
          <p class="note warn" role="alert">
            You are signed out here, but we couldn't ask {provider ?? 'your provider'} to sign you out as well. You may still be
            signed in there. Close the browser if you share this computer.
          </p>
        )}
        {unconfirmed.length > 0 && (
          <p class="note warn" role="alert">
            You are signed out here, but {listOf(unconfirmed)} did not confirm that {unconfirmed.length === 1 ? 'it' : 'they'}{' '}
            signed you out{outcome === 'half-done' ? ' everywhere' : ''}. Close the browser if you share this computer.
          </p>
        )}
        {outcome === 'here' && <p>You may still be signed in to other applications until their own sessions end.</p>}
        <div class="actions">
          {back !== undefined && (
            <a class="button first" href={back.url}>
              Go back to {back.name}
            </a>
          )}
          <a class="button" href={signInUrl(undefined)}>
            Sign in again
          </a>
        </div>
      </>
    ),
  });
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Submits the form where scripts run; the form has a button for where they do not. */
export const postScript = 'HTMLFormElement.prototype.submit.call(document.forms[0])';

export function renderPost(view: {
  site: string;
  title: string;
  text: string;
  label: string;
  action: string;
  fields: Readonly<Record<string, string>>;
}): string {
  return renderPage({
    title: view.title,
    site: view.site,
    script: postScript,
    children: (
      <>
        <h1>{view.title}</h1>
        <p>{view.text}</p>
        <form method="post" action={view.action} class="actions">
          {Object.entries(view.fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <button class="button first" type="submit">
            {view.label}
          </button>
        </form>
      </>
    ),
  });
}
