// Preloaded (LD_PRELOAD) into a program that writes: instead of waiting for this machine's disk, every fsync and fdatasync waits for
// SYNC_MICROS. Nothing is durable then, and nothing depends on how busy this disk is.
#include <stdlib.h>
#include <time.h>

static int wait_as_long(void) {
  const char *micros = getenv("SYNC_MICROS");
  long long nanos = micros ? atoll(micros) * 1000 : 0;
  struct timespec wait = {nanos / 1000000000, nanos % 1000000000};
  nanosleep(&wait, 0);
  return 0;
}

int fsync(int file) {
  (void)file;
  return wait_as_long();
}

int fdatasync(int file) {
  (void)file;
  return wait_as_long();
}
