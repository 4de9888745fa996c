/**
 * A script that is fetched when it is wanted; asked for once more when it does not come. Chromium and Firefox remember that a module did
 * not come, and fail at once whenever it is wanted again, until the page is reloaded. At another address they ask again, and their error
 * ends with the address. Other browsers' errors don't, and are thrown as they are.
 * @throws what the browser says of the last try
 */
export async function fetchModule<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (problem) {
    const again = readAddress(String(problem));
    if (!again) throw problem;
    again.search = `?again=${Date.now()}`;
    return import(/* @vite-ignore */ again.href) as Promise<Module>;
  }
}

function readAddress(message: string): URL | undefined {
  const address = URL.parse(message.slice(message.lastIndexOf(' ') + 1));
  return address?.origin === new URL(import.meta.url).origin ? address : undefined;
}
