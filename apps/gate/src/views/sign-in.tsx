import { type Asking, signInUrl, urls } from '../urls.ts';
import { renderPage } from './page.tsx';

export interface SignInView extends Asking {
  readonly site: string;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** The provider chosen last time in this browser. */
  readonly remembered: string | undefined;
  readonly returnTo: string | undefined;
  /** Whether people can be sent to their provider by their email address. */
  readonly byEmail: boolean;
  readonly notice?: { readonly kind: 'good' | 'warn' | 'bad'; readonly text: string } | undefined;
  readonly email?: string;
}

export function renderSignIn(view: SignInView): string {
  const { providers, remembered } = view;
  const first = providers.find(provider => provider.id === remembered);
  const ordered = first === undefined ? providers : [first, ...providers.filter(provider => provider !== first)];
  return renderPage({
    title: 'Sign in',
    site: view.site,
    children: (
      <>
        <h1>Sign in</h1>
        {view.notice !== undefined && (
          <p class={`note ${view.notice.kind}`} role={view.notice.kind === 'bad' ? 'alert' : 'status'}>
            {view.notice.text}
          </p>
        )}
        {providers.length === 0 && <p>No sign-in provider is available. Contact the site’s administrator.</p>}
        <ul class="providers">
          {ordered.map((provider, at) => (
            <li key={provider.id}>
              <a class={at === 0 ? 'button first' : 'button'} href={signInUrl(view.returnTo, provider.id, view)}>
                <span>{provider.name}</span>
                {provider === first && <small>used last time</small>}
              </a>
            </li>
          ))}
        </ul>
        {view.byEmail && (
          <form class="email" method="post" action={urls.signIn}>
            <label for="email">Or use your work email address</label>
            <input
              id="email"
              name="email"
              type="email"
              autocomplete="email"
              inputmode="email"
              required
              value={view.email ?? ''}
            />
            {view.returnTo !== undefined && <input type="hidden" name="returnTo" value={view.returnTo} />}
            {view.fresh === true && <input type="hidden" name="fresh" value="1" />}
            {view.another === true && <input type="hidden" name="another" value="1" />}
            <button class="button" type="submit">
              Continue
            </button>
          </form>
        )}
      </>
    ),
  });
}
