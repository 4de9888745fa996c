import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Takes files dropped onto an element. The rest of the window refuses them, because the browser would leave the editor to open them. */
export function useDroppedFiles(place: RefObject<HTMLElement | null>, take: (files: readonly File[]) => void): void {
  const newest = useRef(take);
  newest.current = take;
  useEffect(() => {
    const { current } = place;
    const listening = new AbortController();
    const { signal } = listening;
    if (current) takeFiles(current, signal, files => newest.current(files));
    guardWindow(signal);
    return () => listening.abort();
  }, []);
}

function takeFiles(place: HTMLElement, signal: AbortSignal, take: (files: readonly File[]) => void): void {
  place.addEventListener(
    'dragover',
    event => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'copy';
      place.dataset.dropping = '';
    },
    { signal },
  );
  const leave = (event: DragEvent): void => {
    if (!place.contains(event.relatedTarget as Node | null)) delete place.dataset.dropping;
  };
  place.addEventListener('dragleave', leave, { signal });
  place.addEventListener(
    'drop',
    event => {
      delete place.dataset.dropping;
      if (!holdsFiles(event)) return;
      event.preventDefault();
      take([...event.dataTransfer!.files]);
    },
    { signal },
  );
}

function guardWindow(signal: AbortSignal): void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || !holdsFiles(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = 'none';
  };
  addEventListener('dragover', refuse, { signal });
  addEventListener('drop', refuse, { signal });
}
