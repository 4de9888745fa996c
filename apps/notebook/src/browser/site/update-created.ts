import type { ApiCreated, ApiNotebook, NewNotebook } from '../../api/types.ts';
import { urls } from '../../urls.ts';
import { ask, readAnswer } from '../api/api-client.ts';

/** Updates the notebook that an earlier, unanswered try may have created to what the form says now. */
export async function updateCreated(created: ApiCreated, { title, paper, pages }: NewNotebook): Promise<ApiCreated> {
  const { notebook, editToken } = created;
  const [page, wanted] = [notebook.pages[0], pages?.[0]];
  if (page && wanted && page.markdown !== wanted.markdown)
    await ask({ method: 'PATCH', path: urls.api.page }, [notebook.slug, page.id], {
      editToken,
      body: { markdown: wanted.markdown },
      ifMatch: page.revision,
    });
  const settings = { ...(title === undefined ? {} : { title }), ...(paper === undefined ? {} : { paper }) };
  const changed = await ask({ method: 'PATCH', path: urls.api.notebook }, [notebook.slug], { editToken, body: settings });
  return { ...created, notebook: (await readAnswer(changed)) as ApiNotebook };
}
