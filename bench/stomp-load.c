// stomp-load: load for the live channel: subscribers that count and time what they get, and publishers. One thread.
//
//   stomp-load sink-tcp   --port N [--n 100] [--key K] [--dest D] [--id sub-0] [--sample 16]   STOMP over TCP
//   stomp-load sink-ws    the same over WebSocket, --path /stomp; with --plain no STOMP is spoken, messages are counted
//   stomp-load idle       sink-ws where subscriber i takes line i of --ids FILE for the % of --dest
//   stomp-load pub        --port N [--key K] [--dest D] [--rate R] [--events 1024] [--quotes 1] [--bytes B]
//                         [--receipts W] [--burst B]
//   stomp-load nats-sink, nats-pub   the same for a NATS server; --dest is the subject
//   stomp-load bodies     --count N [--events 1024] [--quotes 1]: prints N bodies, one a line
//
// With --cpu-of PID[,PID] a sink says the CPU time of these processes since the line before (`servers_cpu_s`).
//
// All but `bodies` print {"ready":true} when they are connected and subscribed, and end after --seconds S, else when
// stdin is closed. A line on stdin makes them print what they counted since the line before; the same at the end.
//
// Latency. Each body carries in the odds of its first quote the time at which it was due: milliseconds since --origin
// (ns of CLOCK_MONOTONIC), with three decimals, as prices have them. An engine renders messages of its own, but a price passes
// through it.
// The publisher is an open loop: when it is late or its socket is full, that counts as latency. --rate 0 is flat out.
// --receipts W asks for a RECEIPT of each SEND and leaves at most W of them unanswered. --burst B: B SENDs are due at
// once, as from a source that is polled. --more: headers of the SUBSCRIBE, `name:value,` each. --at-once: a sink says that
// it is ready before it connects, and then opens connections as fast as they are subscribed, AT_ONCE of them at a time: the
// system drops more than a server's queue holds (511). `receipts` are those that are subscribed. --awake: a sink does not
// sleep where nothing has come, so that no write has to wake its core.
//
// Each count says how honest it is: `busy` is the share of a core that this program has used since the line before (near 1
// it is the limit, not the server; not counted is the time in which nothing had come and --awake kept it from sleeping), `late` the SENDs made more than 1 ms after they were due though there was room for
// them, `own_late_max_us` by how much the latest of those. Where the socket or the receipts held them back, it is the server's.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
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
#define OUTPUT_BYTES (256 * 1024)
#define BATCH_BYTES (64 * 1024) // what a flat-out publisher hands to the socket at once
#define FRAME_BYTES_MAX (32 * 1024)
#define QUOTES_MAX 100
#define SAMPLES_MAX (1u << 22)
#define ADDRESS_CONNECTIONS 20000 // from one client address
#define SETUP_SECONDS 20
#define AT_ONCE 400
#define LATE_NS 1000000ull // a SEND made so much later than it could have been counts as late
#define FRAME_END '\1'    // stands for NUL where texts are searched
#define CONTROL UINT32_MAX // marks stdin among the connections

enum protocol { STOMP_TCP, STOMP_WS, NATS };

static struct {
  enum protocol protocol;
  bool plain, binary, at_once, awake;
  int port, n, sample, events, quotes, bytes, receipts, count, burst;
  double seconds, rate;
  uint64_t origin;
  const char *path, *login, *key, *dest, *id, *ids, *more, *cpu_of;
} opt = {.n = 100, .sample = 16, .events = 1024, .quotes = 1, .count = 1, .burst = 1, .path = "/stomp", .login = "load", .key = "",
         .dest = "/topic/bench", .id = "sub-0", .more = ""};

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("stomp-load: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

// Share of a core since `counted_at` that `cpu` seconds are.
static double busy_since(double cpu, uint64_t counted_at) {
  uint64_t at = now();
  return at > counted_at ? cpu * 1e9 / (double)(at - counted_at) : 0;
}

// Reads stdin. Returns whether it is closed; `asked` tells whether a line came.
static bool read_control(bool *asked) {
  char line[256];
  ssize_t size = read(0, line, sizeof line);
  *asked = size > 0 && memchr(line, '\n', (size_t)size) != NULL;
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

// ---- Connections ----------------------------------------------------------------------------------------------------

static void write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) die("write: %s", strerror(errno));
    bytes += written;
    size -= (size_t)written;
  }
}

// A WebSocket frame of a client: masked, here with the mask 0. opcode 1 is text, 10 a pong.
static void write_ws(int fd, int opcode, const char *payload, size_t size) {
  char frame[FRAME_BYTES_MAX + 8];
  size_t length = 0;
  if (size > FRAME_BYTES_MAX) die("a message of %zu bytes is too large", size);
  frame[length++] = (char)(0x80 | opcode);
  if (size < 126) {
    frame[length++] = (char)(0x80 | size);
  } else {
    frame[length++] = (char)(0x80 | 126);
    frame[length++] = (char)(size >> 8);
    frame[length++] = (char)size;
  }
  memset(frame + length, 0, 4);
  length += 4;
  memcpy(frame + length, payload, size);
  write_all(fd, frame, length + size);
}

static void write_stomp(int fd, const char *frame, size_t size) {
  if (opt.protocol == STOMP_WS) write_ws(fd, 1, frame, size);
  else write_all(fd, frame, size);
}

// A client address has ports for some 28 000 connections to one port of a server: beyond that, loopback has more of them.
static void bind_address(int fd, int number) {
  if (number < ADDRESS_CONNECTIONS) return;
  struct sockaddr_in own = {.sin_family = AF_INET};
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(number / ADDRESS_CONNECTIONS));
  int on = 1; // the port is chosen with the connection, not before
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&own, sizeof own) != 0) die("bind: %s", strerror(errno));
}

static int dial_as(int type, int number) {
  int fd = socket(AF_INET, type, 0);
  if (fd < 0) die("connection %d: %s: see ulimit -n", number, strerror(errno));
  bind_address(fd, number);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)opt.port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS)
    die("connect: %s", strerror(errno));
  return fd;
}

// Without waiting until it is connected.
static int dial_soon(int number) { return dial_as(SOCK_STREAM | SOCK_NONBLOCK, number); }

static int dial(int number) {
  int fd = dial_as(SOCK_STREAM, number);
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct timeval limit = {.tv_sec = SETUP_SECONDS};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return fd;
}

// Waits for `wanted`, and then `last`, in what the server says, and takes exactly that much from the socket: what comes
// behind it is for the subscriber. Ends the program when the server refuses.
static void expect(int fd, const char *wanted, const char *last, int number) {
  static char said[64 * 1024];
  ssize_t size = 0;
  for (uint64_t limit = now() + SETUP_SECONDS * SECOND_NS; now() < limit;) {
    ssize_t before = size;
    size = recv(fd, said, sizeof said - 1, MSG_PEEK);
    if (size <= 0) die("connection %d: no %s: %s", number, wanted, size == 0 ? "closed" : strerror(errno));
    if (size == before) usleep(50);
    said[size] = 0;
    for (ssize_t place = 0; place < size; place++)
      if (said[place] == 0) said[place] = FRAME_END; // so that the texts below are found behind a frame's end
    if (strstr(said, "ERROR\n") || strstr(said, "-ERR")) die("connection %d was refused: %.400s", number, said);
    const char *found = strstr(said, wanted), *end = found == NULL ? NULL : strstr(found, last);
    if (end == NULL) continue;
    if (read(fd, said, (size_t)(end - said) + strlen(last)) <= 0) die("read: %s", strerror(errno));
    return;
  }
  die("connection %d: no %s within %d s", number, wanted, SETUP_SECONDS);
}

static int put_upgrade(char *frame) {
  return snprintf(frame, FRAME_BYTES_MAX,
                  "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Protocol: v12.stomp\r\n\r\n",
                  opt.path, opt.port);
}

static int put_connect(char *frame) {
  return snprintf(frame, FRAME_BYTES_MAX,
                  "CONNECT\naccept-version:1.2\nhost:/\nlogin:%s\npasscode:%s\nheart-beat:0,0\n\n%c", opt.login,
                  opt.key, 0);
}

static int put_subscribe(char *frame, const char *destination) {
  // More headers: name:value, with a comma behind each.
  char more[FRAME_BYTES_MAX / 2];
  snprintf(more, sizeof more, "%s", opt.more);
  for (char *comma = more; (comma = strchr(comma, ',')) != NULL;) *comma = '\n';
  return snprintf(frame, FRAME_BYTES_MAX, "SUBSCRIBE\nid:%s\ndestination:%s\nack:auto\nreceipt:ready\n%s\n%c",
                  opt.id, destination, more, 0);
}

// Opens connection `number`, and subscribes it where there is a destination.
static int open_connection(int number, const char *destination) {
  char frame[FRAME_BYTES_MAX];
  int fd = dial(number), length;
  if (opt.protocol == NATS) {
    expect(fd, "INFO", "\r\n", number);
    length = snprintf(frame, sizeof frame, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n");
    write_all(fd, frame, (size_t)length);
    length = snprintf(frame, sizeof frame, destination == NULL ? "PING\r\n" : "SUB %s 1\r\nPING\r\n", destination);
    write_all(fd, frame, (size_t)length);
    expect(fd, "PONG", "\r\n", number);
    return fd;
  }
  if (opt.protocol == STOMP_WS) {
    length = put_upgrade(frame);
    write_all(fd, frame, (size_t)length);
    expect(fd, "HTTP/1.1 101", "\r\n\r\n", number);
    if (opt.plain) return fd;
  }
  length = put_connect(frame);
  write_stomp(fd, frame, (size_t)length);
  expect(fd, "CONNECTED\n", "\1", number);
  if (destination == NULL) return fd;
  length = put_subscribe(frame, destination);
  write_stomp(fd, frame, (size_t)length);
  expect(fd, "RECEIPT\n", "\1", number);
  return fd;
}

static void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// ---- Subscribers ----------------------------------------------------------------------------------------------------

enum phase { OPEN, CONNECTING, UPGRADING };

struct connection {
  int fd;
  enum phase phase;
  size_t rest_size, rest_room;
  char *rest; // the beginning of a frame whose end has not come yet
};

static struct {
  uint64_t frames, bytes, reads, receipts, errors, closed, first_at, last_at, samples, counted_at;
  double cpu_at, idle_s; // idle: with --awake, CPU time in which nothing had come
} counted;
static uint64_t *samples;
static int settled; // connections that are subscribed, or closed
static uint32_t until_sample = 1, random_state = 2463534242u;

// Distances of 1 to 2 × sample - 1, drawn: a fixed distance could keep in step with the frames of a write.
static uint32_t next_distance(void) {
  if (opt.sample <= 1) return 1;
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return 1 + random_state % (2 * (uint32_t)opt.sample - 1);
}

static void take_sample(const char *body, size_t size, uint64_t at) {
  const char *place = memmem(body, size, "\"odds\":", 7), *end = body + size;
  if (place == NULL || counted.samples == SAMPLES_MAX) return;
  uint64_t value = 0;
  int decimals = -1;
  for (place += 7; place < end && decimals < 3; place++) {
    if (*place >= '0' && *place <= '9') value = value * 10 + (uint64_t)(*place - '0');
    else if (*place != '.' || decimals >= 0) break;
    if (*place == '.' || decimals >= 0) decimals++;
  }
  for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++) value *= 10;
  uint64_t due = opt.origin + value * 1000;
  if (at >= due) samples[counted.samples++] = at - due;
}

static void count_message(const char *text, size_t size, uint64_t at, bool has_headers) {
  if (counted.frames++ == 0) counted.first_at = at;
  counted.last_at = at;
  if (--until_sample > 0) return;
  until_sample = next_distance();
  const char *body = has_headers ? memmem(text, size, "\n\n", 2) : text;
  if (body != NULL) take_sample(body, (size_t)(text + size - body), at);
}

// The head of an ERROR, in a line.
static void print_error(const char *frame, size_t size) {
  const char *body = memmem(frame, size, "\n\n", 2);
  fputs("stomp-load:", stderr);
  for (const char *place = frame, *end = body == NULL ? frame + size : body; place < end; place++) {
    if (place == frame) fputc(' ', stderr);
    fputs(*place == '\n' ? "; " : (char[]){*place, 0}, stderr);
  }
  fputc('\n', stderr);
}

static void take_stomp(const char *frame, size_t size, uint64_t at) {
  if (*frame == 'M') {
    count_message(frame, size, at, true);
  } else if (*frame == 'R') {
    counted.receipts++;
    settled++;
  } else if (*frame == 'E') {
    if (counted.errors++ == 0) print_error(frame, size);
  }
}

// Where the frame at `place` has its NUL, NULL where that has not come. With a content-length the body may hold NUL.
static const char *end_of_frame(const char *place, const char *end) {
  if (!opt.binary) return memchr(place, 0, (size_t)(end - place));
  const char *body = memmem(place, (size_t)(end - place), "\n\n", 2);
  if (body == NULL) return NULL;
  const char *length = memmem(place, (size_t)(body - place), "\ncontent-length:", 16);
  if (length == NULL) return memchr(body, 0, (size_t)(end - body));
  const char *nul = body + 2 + strtoul(length + 16, NULL, 10);
  return nul < end ? nul : NULL;
}

// Takes the whole frames of `input` and returns how many bytes they have.
static size_t cut_tcp(const char *input, size_t size, uint64_t at) {
  const char *place = input, *end = input + size;
  for (;;) {
    while (place < end && (*place == '\n' || *place == '\r')) place++;
    const char *nul = place < end ? end_of_frame(place, end) : NULL;
    if (nul == NULL) return (size_t)(place - input);
    take_stomp(place, (size_t)(nul - place), at);
    place = nul + 1;
  }
}

static size_t cut_ws(struct connection *connection, const char *input, size_t size, uint64_t at) {
  size_t place = 0;
  while (size - place >= 2) {
    const unsigned char *head = (const unsigned char *)input + place;
    size_t head_size = 2, length = head[1] & 0x7f;
    if (head[1] & 0x80) die("a masked frame came from the server");
    if (length >= 126) head_size = length == 126 ? 4 : 10;
    if (size - place < head_size) break;
    if (head_size > 2) {
      length = 0;
      for (size_t digit = 2; digit < head_size; digit++) length = length << 8 | head[digit];
    }
    if (size - place - head_size < length) break;
    const char *payload = input + place + head_size;
    int opcode = head[0] & 0x0f;
    if (opcode == 9) {
      write_ws(connection->fd, 10, payload, length);
    } else if (opcode <= 2 && length > 1) {
      if (payload[length - 1] != 0) die("a message does not end in NUL");
      if (cut_tcp(payload, length, at) != length) die("a message ends within a frame");
    }
    place += head_size + length;
  }
  return place;
}

static size_t cut_nats(struct connection *connection, const char *input, size_t size, uint64_t at) {
  size_t place = 0;
  while (place < size) {
    const char *line = input + place, *end = memchr(line, '\n', size - place);
    if (end == NULL) break;
    size_t length = (size_t)(end + 1 - line);
    if (*line == 'M') {
      const char *digits = end - 1; // at the CR; the number before it is the size of the payload
      while (digits[-1] != ' ') digits--;
      size_t payload = strtoul(digits, NULL, 10);
      if (size - place < length + payload + 2) break;
      count_message(end + 1, payload, at, false);
      length += payload + 2;
    } else if (*line == 'P' && line[1] == 'I') {
      write_all(connection->fd, "PONG\r\n", 6);
    } else if (*line == '-' && counted.errors++ == 0) {
      fprintf(stderr, "stomp-load: %.*s", (int)length, line);
    }
    place += length;
  }
  return place;
}

static void keep_rest(struct connection *connection, const char *bytes, size_t size) {
  if (size > connection->rest_room) {
    connection->rest_room = size < 1024 ? 1024 : size;
    connection->rest = realloc(connection->rest, connection->rest_room);
    if (connection->rest == NULL) die("out of memory");
  }
  if (size > 0) memcpy(connection->rest, bytes, size);
  connection->rest_size = size;
}

// What a connection says at once: all of it fits into the buffer of its socket.
static void subscribe(struct connection *connection, const char *destination) {
  char frame[FRAME_BYTES_MAX];
  connection->phase = OPEN;
  write_stomp(connection->fd, frame, (size_t)put_connect(frame));
  write_stomp(connection->fd, frame, (size_t)put_subscribe(frame, destination));
}

// The socket of a connection is connected. Returns false when it is not.
static bool begin(struct connection *connection, const char *destination) {
  char frame[FRAME_BYTES_MAX];
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return false;
  if (opt.protocol != STOMP_WS) {
    subscribe(connection, destination);
    return true;
  }
  connection->phase = UPGRADING;
  write_all(connection->fd, frame, (size_t)put_upgrade(frame));
  return true;
}

// Reads once. Returns false when the connection is gone.
static bool read_connection(struct connection *connection, const char *destination) {
  static char input[INPUT_BYTES];
  size_t size = connection->rest_size;
  if (size == sizeof input) die("a frame is larger than %zu bytes", sizeof input);
  ssize_t got = read(connection->fd, input + size, sizeof input - size);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  uint64_t at = now();
  if (size > 0) memcpy(input, connection->rest, size);
  size += (size_t)got;
  counted.bytes += (uint64_t)got;
  counted.reads++;
  if (connection->phase == UPGRADING) {
    const char *end = memmem(input, size, "\r\n\r\n", 4);
    if (end != NULL && memmem(input, size, " 101 ", 5) == NULL) return false;
    if (end != NULL) subscribe(connection, destination);
    keep_rest(connection, input, end == NULL ? size : 0);
    return true;
  }
  size_t used = opt.protocol == STOMP_TCP  ? cut_tcp(input, size, at)
                : opt.protocol == STOMP_WS ? cut_ws(connection, input, size, at)
                                           : cut_nats(connection, input, size, at);
  keep_rest(connection, input + used, size - used);
  return true;
}

static int by_value(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

static double quantile_us(double part) {
  return (double)samples[(uint64_t)(part * (double)(counted.samples - 1))] / 1e3;
}

static void print_counted(void) {
  double span = (double)(counted.last_at - counted.first_at) / 1e9, cpu = cpu_seconds() - counted.cpu_at - counted.idle_s;
  printf("{\"frames\":%lu,\"bytes\":%lu,\"reads\":%lu,\"receipts\":%lu,\"span_s\":%.4f,\"frames_per_s\":%.0f", counted.frames,
         counted.bytes, counted.reads, counted.receipts, span,
         span > 0 ? (double)counted.frames / span : 0);
  printf(",\"closed\":%lu,\"errors\":%lu,\"cpu_s\":%.3f,\"busy\":%.3f", counted.closed, counted.errors,
         cpu, busy_since(cpu, counted.counted_at));
  if (counted.samples > 0) {
    qsort(samples, counted.samples, sizeof *samples, by_value);
    printf(",\"samples\":%lu,\"p50_us\":%.0f,\"p90_us\":%.0f,\"p99_us\":%.0f,\"p999_us\":%.0f,\"max_us\":%.0f",
           counted.samples, quantile_us(0.5), quantile_us(0.9), quantile_us(0.99), quantile_us(0.999), quantile_us(1));
  }
  if (!count_servers_cpu(opt.cpu_of, true)) die("--cpu-of: there is no such process");
  printf("}\n");
  fflush(stdout);
  // Closed connections stay closed: they are counted from the start.
  uint64_t closed = counted.closed;
  memset(&counted, 0, sizeof counted);
  counted.closed = closed;
  counted.counted_at = now();
  counted.cpu_at = cpu_seconds();
}

// The id of subscriber `number`: a line of the file, in turn.
static const char *id_of(int number) {
  static char *text;
  static size_t count;
  static const char **lines;
  if (text == NULL) {
    FILE *file = fopen(opt.ids, "r");
    if (file == NULL) die("%s: %s", opt.ids, strerror(errno));
    size_t room = 16 * 1024 * 1024;
    text = calloc(1, room);
    lines = calloc(room / 2, sizeof *lines);
    if (text == NULL || lines == NULL || fread(text, 1, room - 1, file) == 0) die("%s: nothing to read", opt.ids);
    fclose(file);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) lines[count++] = line;
  }
  return lines[(size_t)number % count];
}

static const char *destination_of(int number) {
  static char destination[1024];
  const char *percent = strchr(opt.dest, '%');
  if (opt.ids == NULL || percent == NULL) return opt.dest;
  snprintf(destination, sizeof destination, "%.*s%s%s", (int)(percent - opt.dest), opt.dest, id_of(number),
           percent + 1);
  return destination;
}

static void run_sink(void) {
  struct connection *connections = calloc((size_t)opt.n, sizeof *connections);
  samples = malloc(SAMPLES_MAX * sizeof *samples);
  int ep = epoll_create1(0);
  struct epoll_event control = {.events = EPOLLIN, .data.u32 = CONTROL};
  if (connections == NULL || samples == NULL || ep < 0) die("out of memory");
  if (opt.at_once) printf("{\"ready\":true,\"connections\":%d}\n", opt.n);
  fflush(stdout);
  int opened = 0;
  for (; !opt.at_once && opened < opt.n; opened++) {
    connections[opened].fd = open_connection(opened, destination_of(opened));
    set_nonblocking(connections[opened].fd);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)opened};
    epoll_ctl(ep, EPOLL_CTL_ADD, connections[opened].fd, &event);
  }
  // stdin that cannot be polled (a file) says nothing; then --seconds is the only end.
  epoll_ctl(ep, EPOLL_CTL_ADD, 0, &control);
  if (!opt.at_once) printf("{\"ready\":true,\"connections\":%d}\n", opt.n);
  fflush(stdout);
  counted.counted_at = now();
  counted.cpu_at = cpu_seconds();
  if (!count_servers_cpu(opt.cpu_of, false)) die("--cpu-of: there is no such process");
  uint64_t end_at = opt.seconds > 0 ? now() + (uint64_t)(opt.seconds * 1e9) : UINT64_MAX;
  struct epoll_event ready[256];
  for (bool ended = false; !ended;) {
    for (; opened < opt.n && opened - settled < AT_ONCE; opened++) {
      connections[opened] = (struct connection){.fd = dial_soon(opened), .phase = CONNECTING};
      struct epoll_event event = {.events = EPOLLOUT, .data.u32 = (uint32_t)opened};
      epoll_ctl(ep, EPOLL_CTL_ADD, connections[opened].fd, &event);
    }
    uint64_t at = now();
    if (at >= end_at) break;
    int wait_ms = opt.awake ? 0 : end_at == UINT64_MAX ? -1 : (int)((end_at - at) / 1000000 + 1);
    double cpu_before = opt.awake ? cpu_seconds() : 0;
    int count = epoll_wait(ep, ready, 256, wait_ms);
    if (count == 0 && opt.awake) {
      rest();
      counted.idle_s += cpu_seconds() - cpu_before;
    }
    for (int place = 0; place < count; place++) {
      uint32_t number = ready[place].data.u32;
      if (number == CONTROL) {
        bool asked = false;
        // Closed stdin ends the program only where no --seconds were given.
        if (read_control(&asked)) {
          epoll_ctl(ep, EPOLL_CTL_DEL, 0, NULL);
          ended = end_at == UINT64_MAX;
        }
        if (asked) print_counted();
        continue;
      }
      struct connection *connection = &connections[number];
      bool is_new = connection->phase == CONNECTING;
      const char *destination = destination_of((int)number);
      if (is_new ? begin(connection, destination) : read_connection(connection, destination)) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
        if (is_new) epoll_ctl(ep, EPOLL_CTL_MOD, connection->fd, &event);
      } else {
        counted.closed++;
        settled++;
        epoll_ctl(ep, EPOLL_CTL_DEL, connection->fd, NULL);
        close(connection->fd);
      }
    }
  }
  print_counted();
}

// ---- Publishers -----------------------------------------------------------------------------------------------------

static struct text {
  char *bytes;
  size_t size;
} *event_texts, quote_texts[QUOTES_MAX];
static uint32_t *event_rounds;

__attribute__((format(printf, 1, 2))) static struct text text_of(const char *format, ...) {
  struct text text;
  va_list arguments;
  va_start(arguments, format);
  int size = vasprintf(&text.bytes, format, arguments);
  va_end(arguments);
  if (size < 0) die("out of memory");
  text.size = (size_t)size;
  return text;
}

static void prepare_bodies(void) {
  static const char *results[] = {"home", "draw", "away"};
  if (opt.quotes < 1 || opt.quotes > QUOTES_MAX) die("--quotes must be 1 to %d", QUOTES_MAX);
  if (opt.events < 1) die("--events must be 1 or more");
  event_texts = calloc((size_t)opt.events, sizeof *event_texts);
  event_rounds = calloc((size_t)opt.events, sizeof *event_rounds);
  if (event_texts == NULL || event_rounds == NULL) die("out of memory");
  // The same kick-off in every run of a day: an event that moved would be news of its own.
  time_t tomorrow = (time(NULL) / 86400 + 1) * 86400;
  for (int event = 0; event < opt.events; event++) {
    char kickoff[32];
    time_t at = tomorrow + event % 1440 * 60;
    strftime(kickoff, sizeof kickoff, "%Y-%m-%dT%H:%M:00.000Z", gmtime(&at));
    event_texts[event] =
        text_of("\",\"event\":{\"sport\":\"football\","
                "\"league\":{\"key\":\"england_premier_league\",\"name\":\"Premier League\"},"
                "\"home\":\"Home %d\",\"away\":\"Away %d\",\"kickoffAt\":\"%s\",\"sourceId\":\"load-%d\"},"
                "\"quotes\":[",
                event, event, kickoff, event);
  }
  for (int quote = 0; quote < opt.quotes; quote++) {
    const char *comma = quote == 0 ? "" : ",";
    if (quote < 3) {
      quote_texts[quote] = text_of("%s{\"type\":\"match_result_1x2\",\"line\":null,\"outcome\":\"%s\",\"odds\":", comma,
                                   results[quote]);
    } else {
      quote_texts[quote] = text_of("%s{\"type\":\"total_goals\",\"line\":%d.5,\"outcome\":\"%s\",\"odds\":", comma,
                                   (quote - 3) / 2, quote % 2 == 1 ? "over" : "under");
    }
  }
}

static char *put(char *place, const char *bytes, size_t size) {
  memcpy(place, bytes, size);
  return place + size;
}

static char *put_number(char *place, uint64_t value) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  while (count > 0) *place++ = digits[--count];
  return place;
}

// Without trailing zeros, as JSON writers do.
static char *put_decimal(char *place, uint64_t value, uint64_t unit) {
  place = put_number(place, value / unit);
  uint64_t fraction = value % unit;
  if (fraction == 0) return place;
  *place++ = '.';
  while (fraction > 0) {
    unit /= 10;
    *place++ = (char)('0' + fraction / unit);
    fraction %= unit;
  }
  return place;
}

static char *put_time(char *place) {
  static uint64_t minute = UINT64_MAX;
  static char text[32];
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  uint64_t seconds = (uint64_t)t.tv_sec, ms = (uint64_t)t.tv_nsec / 1000000;
  if (seconds / 60 != minute) {
    minute = seconds / 60;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:", gmtime(&t.tv_sec));
  }
  place = put(place, text, 17);
  uint64_t second = seconds % 60;
  *place++ = (char)('0' + second / 10);
  *place++ = (char)('0' + second % 10);
  *place++ = '.';
  *place++ = (char)('0' + ms / 100);
  *place++ = (char)('0' + ms / 10 % 10);
  *place++ = (char)('0' + ms % 10);
  *place++ = 'Z';
  return place;
}

#define PUT(text) place = put(place, text, sizeof text - 1)

// Observation `number`, due at `due`: events take turns, and each price differs from the one before. Returns its end.
static char *put_body(char *place, uint64_t number, uint64_t due) {
  const char *start = place;
  int event = (int)(number % (uint64_t)opt.events);
  uint32_t round = event_rounds[event]++;
  PUT("{\"transport\":\"live\",\"observedAt\":\"");
  place = put_time(place);
  place = put(place, event_texts[event].bytes, event_texts[event].size);
  for (int quote = 0; quote < opt.quotes; quote++) {
    place = put(place, quote_texts[quote].bytes, quote_texts[quote].size);
    // 37 and 997 have no common divisor, so the price moves each round.
    if (quote == 0) place = put_decimal(place, (due - opt.origin) / 1000, 1000);
    else place = put_decimal(place, 101 + (round * 37u + (uint32_t)quote * 101u) % 997, 100);
    PUT(",\"status\":\"open\"}");
  }
  PUT("],\"others\":\"keep\"");
  // Only for brokers that carry any body: ours refuses a field that it does not know.
  size_t missing = (size_t)opt.bytes - (size_t)(place - start) - 10;
  if (opt.bytes > place - start + 10) {
    PUT(",\"pad\":\"");
    memset(place, 'x', missing);
    place += missing;
    PUT("\"");
  }
  PUT("}");
  return place;
}

static struct {
  char output[OUTPUT_BYTES];
  size_t output_from, output_to;
  char input[64 * 1024];
  size_t input_size;
  uint64_t number, unanswered; // SENDs made, and those without their RECEIPT
  uint64_t sent, receipts, late_max, late, own_late_max, room_at, counted_at;
  double cpu_at;
} pub;

static void append_send(uint64_t due, uint64_t at) {
  static char body[FRAME_BYTES_MAX];
  size_t size = (size_t)(put_body(body, pub.number, due) - body);
  char *place = pub.output + pub.output_to;
  if (opt.protocol == NATS) {
    PUT("PUB ");
    place = put(place, opt.dest, strlen(opt.dest));
    PUT(" ");
    place = put_number(place, size);
    PUT("\r\n");
    place = put(place, body, size);
    PUT("\r\n");
  } else {
    PUT("SEND\ndestination:");
    place = put(place, opt.dest, strlen(opt.dest));
    PUT("\ncontent-type:application/json\ncontent-length:");
    place = put_number(place, size);
    if (opt.receipts > 0) {
      PUT("\nreceipt:");
      place = put_number(place, pub.number);
      pub.unanswered++;
    }
    PUT("\n\n");
    place = put(place, body, size);
    *place++ = 0;
  }
  pub.output_to = (size_t)(place - pub.output);
  pub.number++;
  pub.sent++;
  if (at > due && at - due > pub.late_max) pub.late_max = at - due;
  uint64_t could = due > pub.room_at ? due : pub.room_at;
  if (at <= could) return;
  if (at - could > LATE_NS) pub.late++;
  if (at - could > pub.own_late_max) pub.own_late_max = at - could;
}

static void print_published(void) {
  uint64_t at = now();
  double seconds = (double)(at - pub.counted_at) / 1e9, cpu = cpu_seconds() - pub.cpu_at;
  printf("{\"sent\":%lu,\"receipts\":%lu,\"span_s\":%.4f,\"sent_per_s\":%.0f,\"receipts_per_s\":%.0f,"
         "\"late_max_us\":%.0f,\"late\":%lu,\"own_late_max_us\":%.0f,\"cpu_s\":%.3f,\"busy\":%.3f}\n",
         pub.sent, pub.receipts, seconds, (double)pub.sent / seconds, (double)pub.receipts / seconds,
         (double)pub.late_max / 1e3, pub.late, (double)pub.own_late_max / 1e3, cpu,
         busy_since(cpu, pub.counted_at));
  fflush(stdout);
  pub.sent = pub.receipts = pub.late_max = pub.late = pub.own_late_max = 0;
  pub.counted_at = at;
  pub.cpu_at = cpu_seconds();
}

static void flush_output(int fd) {
  if (pub.output_from == pub.output_to) return;
  ssize_t written = write(fd, pub.output + pub.output_from, pub.output_to - pub.output_from);
  if (written < 0 && errno != EAGAIN && errno != EINTR) die("write: %s", strerror(errno));
  if (written > 0) pub.output_from += (size_t)written;
  if (pub.output_from == pub.output_to) pub.output_from = pub.output_to = 0;
}

// Reads RECEIPTs; NATS asks now and then whether we are there. Anything that refuses ends the program.
static void read_answers(int fd) {
  ssize_t got = read(fd, pub.input + pub.input_size, sizeof pub.input - pub.input_size);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) die("the server closed the publisher's connection");
  pub.input_size += (size_t)got;
  const char *place = pub.input, *end = pub.input + pub.input_size;
  for (;;) {
    while (place < end && (*place == '\n' || *place == '\r')) place++;
    const char *stop = memchr(place, opt.protocol == NATS ? '\n' : 0, (size_t)(end - place));
    if (stop == NULL) break;
    if (*place == 'R') {
      pub.receipts++;
      pub.unanswered--;
    } else if (*place == 'E' || *place == '-') {
      die("the publisher was refused: %.*s", (int)(stop - place), place);
    } else if (*place == 'P' && opt.protocol == NATS) {
      memcpy(pub.output + pub.output_to, "PONG\r\n", 6);
      pub.output_to += 6;
    }
    place = stop + 1;
  }
  pub.input_size = (size_t)(end - place);
  memmove(pub.input, place, pub.input_size);
}

static void run_pub(void) {
  if (opt.bytes > FRAME_BYTES_MAX / 2) die("--bytes must be at most %d", FRAME_BYTES_MAX / 2);
  prepare_bodies();
  prctl(PR_SET_TIMERSLACK, 1); // the default lets every sleep end 50 µs late
  int fd = open_connection(0, NULL);
  set_nonblocking(fd);
  printf("{\"ready\":true}\n");
  fflush(stdout);
  uint64_t start = now();
  uint64_t end_at = opt.seconds > 0 ? start + (uint64_t)(opt.seconds * 1e9) : UINT64_MAX;
  pub.counted_at = start;
  pub.cpu_at = cpu_seconds();
  bool has_control = true;
  for (;;) {
    uint64_t at = now(), next = end_at;
    if (at >= end_at) break;
    // Bytes that a slow socket has left are moved to the front, so that there is room behind them.
    if (pub.output_from > 0) {
      pub.output_to -= pub.output_from;
      memmove(pub.output, pub.output + pub.output_from, pub.output_to);
      pub.output_from = 0;
    }
    size_t room = opt.rate > 0 ? OUTPUT_BYTES - FRAME_BYTES_MAX - 8 : BATCH_BYTES;
    while (pub.output_to < room && (opt.receipts == 0 || pub.unanswered < (uint64_t)opt.receipts)) {
      uint64_t due = opt.rate > 0 ? start + (uint64_t)((double)(pub.number - pub.number % (uint64_t)opt.burst) * 1e9 / opt.rate) : now();
      if (due > at && opt.rate > 0) {
        if (due < next) next = due;
        break;
      }
      append_send(due, at);
    }
    // More is due than there is room for: it goes on as soon as that is written.
    bool is_behind = pub.output_to >= room;
    flush_output(fd);
    bool is_full = pub.output_to > 0;
    bool is_waiting = opt.receipts > 0 && pub.unanswered >= (uint64_t)opt.receipts;
    struct pollfd polled[] = {{.fd = fd, .events = (short)(POLLIN | (is_full ? POLLOUT : 0))},
                              {.fd = has_control ? 0 : -1, .events = POLLIN}};
    // Flat out there is more to send at once, unless the socket is full or the window of receipts is.
    at = now();
    uint64_t wait = !is_full && !is_waiting && (opt.rate == 0 || is_behind) ? 0 : next > at ? next - at : 0;
    struct timespec limit = {.tv_sec = (time_t)(wait / SECOND_NS), .tv_nsec = (long)(wait % SECOND_NS)};
    ppoll(polled, 2, next == UINT64_MAX && wait > 0 ? NULL : &limit, NULL);
    if (is_behind || is_waiting) pub.room_at = now();
    if (polled[0].revents & (POLLIN | POLLHUP | POLLERR)) read_answers(fd);
    if (polled[1].revents != 0) {
      bool asked = false;
      if (read_control(&asked)) {
        has_control = false;
        if (end_at == UINT64_MAX) break;
      }
      if (asked) print_published();
    }
  }
  // What is under way gets a moment to be written and answered.
  for (uint64_t limit = now() + SECOND_NS; (pub.output_to > 0 || pub.unanswered > 0) && now() < limit;) {
    struct pollfd polled = {.fd = fd, .events = (short)(POLLIN | (pub.output_to > 0 ? POLLOUT : 0))};
    poll(&polled, 1, 100);
    if (polled.revents & POLLOUT) flush_output(fd);
    if (polled.revents & (POLLIN | POLLHUP | POLLERR)) read_answers(fd);
  }
  print_published();
}

static void run_bodies(void) {
  static char body[FRAME_BYTES_MAX];
  prepare_bodies();
  for (int number = 0; number < opt.count; number++) {
    char *end = put_body(body, (uint64_t)number, now());
    *end++ = '\n';
    fwrite(body, 1, (size_t)(end - body), stdout);
  }
}

// ---- Command line ---------------------------------------------------------------------------------------------------

static const struct option flags[] = {
    {"port", 1, 0, 'p'},  {"n", 1, 0, 'n'},      {"sample", 1, 0, 's'},   {"events", 1, 0, 'e'}, {"quotes", 1, 0, 'q'},
    {"bytes", 1, 0, 'b'}, {"count", 1, 0, 'c'},  {"receipts", 1, 0, 'w'}, {"rate", 1, 0, 'r'},   {"seconds", 1, 0, 't'},
    {"more", 1, 0, 'm'},  {"burst", 1, 0, 'u'},  {"path", 1, 0, 'P'},  {"login", 1, 0, 'l'},  {"key", 1, 0, 'k'},      {"dest", 1, 0, 'd'},   {"id", 1, 0, 'i'},
    {"ids", 1, 0, 'I'},   {"origin", 1, 0, 'o'}, {"plain", 0, 0, 'x'},    {"at-once", 0, 0, 'a'},
    {"awake", 0, 0, 'A'}, {"cpu-of", 1, 0, 'C'}, {0, 0, 0, 0}};

static void read_flags(int count, char **words) {
  for (int flag; (flag = getopt_long(count, words, "", flags, NULL)) != -1;) {
    switch (flag) {
      case 'p': opt.port = atoi(optarg); break;
      case 'n': opt.n = atoi(optarg); break;
      case 's': opt.sample = atoi(optarg); break;
      case 'e': opt.events = atoi(optarg); break;
      case 'q': opt.quotes = atoi(optarg); break;
      case 'b': opt.bytes = atoi(optarg); break;
      case 'c': opt.count = atoi(optarg); break;
      case 'w': opt.receipts = atoi(optarg); break;
      case 'r': opt.rate = atof(optarg); break;
      case 't': opt.seconds = atof(optarg); break;
      case 'm': opt.more = optarg, opt.binary = strstr(optarg, "msgpack") != NULL; break;
      case 'u': opt.burst = atoi(optarg); break;
      case 'P': opt.path = optarg; break;
      case 'l': opt.login = optarg; break;
      case 'k': opt.key = optarg; break;
      case 'd': opt.dest = optarg; break;
      case 'i': opt.id = optarg; break;
      case 'I': opt.ids = optarg; break;
      case 'o': opt.origin = strtoull(optarg, NULL, 10); break;
      case 'x': opt.plain = true; break;
      case 'a': opt.at_once = true; break;
      case 'A': opt.awake = true; break;
      case 'C': opt.cpu_of = optarg; break;
      default: exit(2);
    }
  }
}

int main(int count, char **words) {
  // A write to a connection that the server has closed says so, instead of ending the program without a word.
  signal(SIGPIPE, SIG_IGN);
  if (count < 2) die("usage: stomp-load sink-tcp | sink-ws | idle | pub | nats-sink | nats-pub | bodies [flags]");
  const char *what = words[1];
  read_flags(count - 1, words + 1);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (strncmp(what, "nats-", 5) == 0) opt.protocol = NATS;
  if (strcmp(what, "sink-ws") == 0 || strcmp(what, "idle") == 0) opt.protocol = STOMP_WS;
  if (strcmp(what, "sink-tcp") == 0 || opt.protocol == STOMP_WS || strcmp(what, "nats-sink") == 0) run_sink();
  else if (strcmp(what, "pub") == 0 || strcmp(what, "nats-pub") == 0) run_pub();
  else if (strcmp(what, "bodies") == 0) run_bodies();
  else die("unknown: %s", what);
  return 0;
}
