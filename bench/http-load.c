// http-load: GETs over kept connections, drawn at random from a list. One thread.
//
//   http-load get --port N --requests FILE [--n 64] [--rate R | --awake] [--seed 1] [--seconds S] [--cpu-of PID[,PID]]
//
// FILE has one request a line: the path, a tab, the value of Authorization. Without --rate each connection asks again as
// soon as it is answered (closed loop). With it the requests have fixed times, and the time from when one was *due* to
// the last octet of its answer counts (open loop): a connection that is not free yet counts, too.
//
// --awake: it does not sleep where nothing has come, so that no answer has to wake its core.
//
// Each count says how honest it is: `busy` is the share of a core that this program has used since the line before (near 1
// it is the limit, not the server; not counted is the time in which nothing had come and --awake kept it from sleeping), `late` the requests made more than 1 ms after they were due though a connection was
// free, `own_late_max_us` by how much the latest of those.
//
// With --cpu-of it says the CPU time of these processes since the line before, too (`servers_cpu_s`).
//
// Prints {"ready":true} when it is connected, and ends when stdin is closed, or after --seconds. A line on stdin makes it
// print what it counted since the line before; the same at the end.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "load-clock.h"
#include "servers-cpu.h"

#define INPUT_BYTES (256 * 1024)
#define HEAD_BYTES_MAX 4096
#define SAMPLES_MAX (1u << 22)
#define LATE_NS 1000000ull // a request made so much later than it could have been counts as late

static struct {
  int port, n;
  double rate, seconds;
  uint32_t seed;
  const char *requests, *cpu_of;
  bool awake;
} opt = {.n = 64, .seed = 1};

struct connection {
  int fd;
  bool is_busy;
  uint64_t due, free_at;
  size_t head_size; // of an answer whose head is not complete
  char head[HEAD_BYTES_MAX];
  size_t left; // octets of the body that are still to come
};

static struct {
  uint64_t frames, bytes, errors, closed, first_at, last_at, samples, late_max, late, own_late_max, counted_at, sent;
  double cpu_at, idle_s; // idle: with --awake, CPU time in which nothing had come
} counted;
static uint64_t *samples;
static char **requests;
static size_t *request_sizes;
static uint32_t request_count, random_state;

static void die(const char *what) {
  fprintf(stderr, "http-load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void read_requests(void) {
  FILE *file = fopen(opt.requests, "r");
  if (file == NULL) die(opt.requests);
  char *line = NULL;
  size_t room = 0;
  for (ssize_t size; (size = getline(&line, &room, file)) > 0;) {
    line[strcspn(line, "\n")] = 0;
    char *key = strchr(line, '\t');
    if (key == NULL) die("a request without a tab");
    *key++ = 0;
    requests = realloc(requests, (request_count + 1) * sizeof *requests);
    request_sizes = realloc(request_sizes, (request_count + 1) * sizeof *request_sizes);
    int length = asprintf(&requests[request_count], "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: %s\r\n\r\n", line,
                          key);
    request_sizes[request_count++] = (size_t)length;
  }
  fclose(file);
  if (request_count == 0) die("no requests");
}

static uint32_t draw(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return (uint32_t)(((uint64_t)random_state * request_count) >> 32);
}

static void ask(struct connection *connection, uint64_t due, uint64_t at) {
  uint32_t number = draw();
  ssize_t written = write(connection->fd, requests[number], request_sizes[number]);
  // A request is far smaller than the buffer of a socket that has nothing else to send.
  if (written != (ssize_t)request_sizes[number]) die("write");
  connection->is_busy = true;
  connection->due = due;
  counted.sent++;
  if (at > due && at - due > counted.late_max) counted.late_max = at - due;
  uint64_t could = due > connection->free_at ? due : connection->free_at;
  if (at <= could) return;
  if (at - could > LATE_NS) counted.late++;
  if (at - could > counted.own_late_max) counted.own_late_max = at - could;
}

static void answered(struct connection *connection, uint64_t at) {
  connection->is_busy = false;
  connection->free_at = at;
  if (counted.frames++ == 0) counted.first_at = at;
  counted.last_at = at;
  if (counted.samples < SAMPLES_MAX) samples[counted.samples++] = at - connection->due;
}

// Takes octets of answers. One answer is under way at a time.
static void take(struct connection *connection, const char *bytes, size_t size, uint64_t at) {
  while (size > 0) {
    if (connection->left == 0) {
      size_t room = sizeof connection->head - 1 - connection->head_size, part = size < room ? size : room;
      memcpy(connection->head + connection->head_size, bytes, part);
      size_t before = connection->head_size;
      connection->head_size += part;
      connection->head[connection->head_size] = 0;
      char *end = strstr(connection->head, "\r\n\r\n");
      if (end == NULL) {
        if (connection->head_size == sizeof connection->head - 1) die("a head is too large");
        return;
      }
      size_t used = (size_t)(end + 4 - connection->head) - before;
      *end = 0;
      if (strncmp(connection->head, "HTTP/1.1 200", 12) != 0 && counted.errors++ == 0)
        fprintf(stderr, "http-load: %.80s\n", connection->head);
      char *length = strcasestr(connection->head, "content-length:");
      connection->left = length == NULL ? 0 : strtoul(length + 15, NULL, 10);
      connection->head_size = 0;
      bytes += used;
      size -= used;
      if (connection->left == 0) answered(connection, at);
      continue;
    }
    size_t part = size < connection->left ? size : connection->left;
    connection->left -= part;
    bytes += part;
    size -= part;
    if (connection->left == 0) answered(connection, at);
  }
}

static int by_value(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

static double quantile_us(double part) {
  return (double)samples[(uint64_t)(part * (double)(counted.samples - 1))] / 1e3;
}

static void print_counted(void) {
  double span = (double)(counted.last_at - counted.first_at) / 1e9;
  printf("{\"frames\":%lu,\"bytes\":%lu,\"span_s\":%.4f,\"frames_per_s\":%.0f", counted.frames, counted.bytes, span,
         span > 0 ? (double)counted.frames / span : 0);
  uint64_t at = now();
  double cpu = cpu_seconds() - counted.cpu_at - counted.idle_s, wall = (double)(at - counted.counted_at) / 1e9;
  printf(",\"closed\":%lu,\"errors\":%lu,\"sent\":%lu,\"late_max_us\":%.0f,\"late\":%lu,\"own_late_max_us\":%.0f",
         counted.closed, counted.errors, counted.sent, (double)counted.late_max / 1e3, counted.late,
         (double)counted.own_late_max / 1e3);
  printf(",\"cpu_s\":%.3f,\"busy\":%.3f", cpu, wall > 0 ? cpu / wall : 0);
  if (!count_servers_cpu(opt.cpu_of, true)) die("--cpu-of");
  if (counted.samples > 0) {
    qsort(samples, counted.samples, sizeof *samples, by_value);
    printf(",\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f", quantile_us(0.5),
           quantile_us(0.9), quantile_us(0.99), quantile_us(0.999), quantile_us(1));
  }
  printf("}\n");
  fflush(stdout);
  memset(&counted, 0, sizeof counted);
  counted.counted_at = now();
  counted.cpu_at = cpu_seconds();
}

static int dial(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)opt.port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

static void run(void) {
  static char input[INPUT_BYTES];
  read_requests();
  random_state = opt.seed * 2654435761u | 1;
  samples = malloc(SAMPLES_MAX * sizeof *samples);
  struct connection *connections = calloc((size_t)opt.n, sizeof *connections);
  int *free_ones = malloc((size_t)opt.n * sizeof *free_ones), free_count = 0;
  if (samples == NULL || connections == NULL || free_ones == NULL) die("memory");
  prctl(PR_SET_TIMERSLACK, 1); // the default lets every sleep end 50 µs late
  int ep = epoll_create1(0);
  for (int number = opt.n - 1; number >= 0; number--) {
    connections[number].fd = dial();
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)number};
    epoll_ctl(ep, EPOLL_CTL_ADD, connections[number].fd, &event);
    free_ones[free_count++] = number;
  }
  printf("{\"ready\":true,\"connections\":%d}\n", opt.n);
  fflush(stdout);
  counted.counted_at = now();
  counted.cpu_at = cpu_seconds();
  if (!count_servers_cpu(opt.cpu_of, false)) die("--cpu-of");
  uint64_t start = now(), made = 0;
  uint64_t end_at = opt.seconds > 0 ? start + (uint64_t)(opt.seconds * 1e9) : UINT64_MAX;
  struct epoll_event ready[256];
  for (;;) {
    uint64_t at = now(), next = end_at;
    if (at >= end_at) break;
    while (free_count > 0) {
      uint64_t due = opt.rate > 0 ? start + (uint64_t)((double)made * 1e9 / opt.rate) : at;
      if (due > at) {
        if (due < next) next = due;
        break;
      }
      ask(&connections[free_ones[--free_count]], due, at);
      made++;
    }
    struct pollfd polled[] = {{.fd = ep, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    at = now();
    uint64_t wait = next > at && !opt.awake ? next - at : 0;
    struct timespec limit = {.tv_sec = (time_t)(wait / SECOND_NS), .tv_nsec = (long)(wait % SECOND_NS)};
    ppoll(polled, 2, next == UINT64_MAX && !opt.awake ? NULL : &limit, NULL);
    if (polled[1].revents != 0) {
      char line[256];
      ssize_t size = read(0, line, sizeof line);
      if (size == 0) break;
      if (size > 0 && memchr(line, '\n', (size_t)size) != NULL) print_counted();
    }
    if (polled[0].revents == 0) {
      if (opt.awake) {
        double cpu_before = cpu_seconds();
        rest();
        counted.idle_s += cpu_seconds() - cpu_before;
      }
      continue;
    }
    int count = epoll_wait(ep, ready, 256, 0);
    for (int place = 0; place < count; place++) {
      struct connection *connection = &connections[ready[place].data.u32];
      ssize_t got = read(connection->fd, input, sizeof input);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (got <= 0) {
        counted.closed++;
        close(connection->fd);
        continue;
      }
      counted.bytes += (uint64_t)got;
      bool was_busy = connection->is_busy;
      take(connection, input, (size_t)got, now());
      if (was_busy && !connection->is_busy) free_ones[free_count++] = (int)ready[place].data.u32;
    }
  }
  print_counted();
}

static const struct option flags[] = {{"port", 1, 0, 'p'},    {"n", 1, 0, 'n'},       {"rate", 1, 0, 'r'},
                                      {"seed", 1, 0, 's'},    {"seconds", 1, 0, 't'}, {"requests", 1, 0, 'q'},
                                      {"origin", 1, 0, 'o'},  {"cpu-of", 1, 0, 'c'},
                                      {"awake", 0, 0, 'A'},   {0, 0, 0, 0}};

int main(int count, char **words) {
  // A write to a connection that the server has closed says so, instead of ending the program without a word.
  signal(SIGPIPE, SIG_IGN);
  for (int flag; (flag = getopt_long(count - 1, words + 1, "", flags, NULL)) != -1;) {
    switch (flag) {
      case 'p': opt.port = atoi(optarg); break;
      case 'n': opt.n = atoi(optarg); break;
      case 'r': opt.rate = atof(optarg); break;
      case 's': opt.seed = (uint32_t)atoi(optarg); break;
      case 't': opt.seconds = atof(optarg); break;
      case 'q': opt.requests = optarg; break;
      case 'c': opt.cpu_of = optarg; break;
      case 'A': opt.awake = true; break;
      case 'o': break; // as in stomp-load: latency counts from the due time here
      default: exit(2);
    }
  }
  if (opt.requests == NULL) die("--requests is missing");
  run();
  return 0;
}
