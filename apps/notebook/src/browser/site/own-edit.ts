import { urls } from '../../urls.ts';

// The page for what is not there is the same at every address of a notebook, so that it reveals nothing. It leads to no editor before this.
const slug = /^\/n\/([a-z0-9-]+)/.exec(location.pathname)?.[1];
const link = document.querySelector<HTMLAnchorElement>('a.own-edit');
if (slug !== undefined && link) link.href = urls.edit(slug);
