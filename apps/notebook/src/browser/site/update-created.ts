import * as calls from '../../api/changing-calls.ts';
import type { ApiCreated, NewNotebook } from '../../api/types.ts';
import { ask, call } from '../api/api-client.ts';

/** Updates the notebook that an earlier, unanswered try may have created to what the form says now. */
export async function updateCreated(created: ApiCreated, { title, paper, pages }: NewNotebook): Promise<ApiCreated> {
  const { notebook, editToken } = created;
  const [page, wanted] = [notebook.pages[0], pages?.[0]];
  if (page && wanted && page.markdown !== wanted.markdown)
    await ask(calls.changePage, [notebook.slug, page.id], {
      editToken,
      body: { markdown: wanted.markdown },
      ifMatch: page.revision,
    });
  const settings = { ...(title === undefined ? {} : { title }), ...(paper === undefined ? {} : { paper }) };
  return { ...created, notebook: await call(calls.changeNotebook, [notebook.slug], { editToken, body: settings }) };
}
