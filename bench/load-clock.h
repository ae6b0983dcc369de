// The clocks of a load, and its rest.
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#define SECOND_NS 1000000000ull
#define REST_NS 20000ull // between two looks at sockets, with --awake

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

// CPU time of this program.
static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Some 20 µs without the sockets: whoever looks at them all the time would hold up who writes to them. Another load on this
// core has it meanwhile.
static void rest(void) {
  for (uint64_t until = now() + REST_NS; now() < until;) sched_yield();
}
