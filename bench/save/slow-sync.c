// Preloaded (LD_PRELOAD) into a program that writes to a fast disk: every wait for the disk takes as long as on a slower one. The real
// call is made first, then the rest of SYNC_MICROS is slept.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static long long nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int synced(int (*sync)(int), int file) {
  const char *micros = getenv("SYNC_MICROS");
  long long started = nanos();
  int result = sync(file);
  long long rest = (micros ? atoll(micros) * 1000 : 0) - (nanos() - started);
  if (rest > 0) {
    struct timespec wait = {rest / 1000000000, rest % 1000000000};
    nanosleep(&wait, 0);
  }
  return result;
}

int fsync(int file) { return synced((int (*)(int))dlsym(RTLD_NEXT, "fsync"), file); }
int fdatasync(int file) { return synced((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"), file); }
