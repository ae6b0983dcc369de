// The CPU time of the processes that a load asks, to the nanosecond: /proc has it to ten milliseconds only.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SERVERS_MAX 4
static double servers_cpu[SERVERS_MAX];

// Takes the CPU time of each process of `pids` (separated by commas; NULL: none), and, where `is_printed`, prints a member of JSON:
// how much that is since it was called before, in seconds. Returns false where there is no such process.
static bool count_servers_cpu(const char *pids, bool is_printed) {
  if (pids == NULL) return true;
  if (is_printed) printf(",\"servers_cpu_s\":[");
  for (int number = 0; number < SERVERS_MAX && *pids != 0; number++) {
    char *end;
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid((pid_t)strtol(pids, &end, 10), &clock) != 0 || clock_gettime(clock, &used) != 0) return false;
    double seconds = (double)used.tv_sec + (double)used.tv_nsec / 1e9;
    if (is_printed) printf("%s%.7f", number == 0 ? "" : ",", seconds - servers_cpu[number]);
    servers_cpu[number] = seconds;
    pids = *end == ',' ? end + 1 : end;
  }
  if (is_printed) printf("]");
  return true;
}
