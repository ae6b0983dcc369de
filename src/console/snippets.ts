// Programs that work as they stand, with the key filled in: the REST interface and the live channel, in five languages,
// each with nothing but what the language brings, but for the live channel in Node.

/** Where programs reach the service. */
export interface Endpoints {
  /** Of REST. */
  readonly api: string
  /** STOMP over WebSocket. */
  readonly live: string
  /** STOMP over TCP. */
  readonly host: string
  readonly stompPort: number
  readonly isTls: boolean
}

export interface Snippet {
  readonly language: string
  readonly rest: string
  readonly live: string
  /** How to run them. */
  readonly run: readonly [rest: string, live: string]
}

const CONNECT = 'CONNECT\\naccept-version:1.2\\nheart-beat:0,0\\npasscode:'
const SUBSCRIBE = 'SUBSCRIBE\\nid:0\\ndestination:/topic/status.#\\n\\n\\0'

/** @param key a secret, or a placeholder */
export const snippets = (key: string, { api, live, host, stompPort, isTls }: Endpoints): readonly Snippet[] => {
  const events = `${api}/events?sport=football&limit=5`
  return [
    {
      language: 'curl',
      run: ['', ''],
      rest: `curl -s -H 'Authorization: Bearer ${key}' \\\n  '${events}'`,
      live: `curl -sN -H 'Authorization: Bearer ${key}' \\\n  '${api}/stream?topic=status&sport=football&snapshot=true'`,
    },
    {
      language: 'Node',
      run: ['node rest.mjs', 'npm install @stomp/stompjs ws && node live.mjs'],
      rest: `const answer = await fetch('${events}', {
  headers: { Authorization: 'Bearer ${key}' },
})
const { data } = await answer.json()
for (const { kickoffAt, homeTeam, awayTeam } of data) console.log(kickoffAt, homeTeam, 'v', awayTeam)`,
      live: `import { Client } from '@stomp/stompjs'
import { WebSocket } from 'ws'

let point // the last message: after a break you go on from it, without a gap
const client = new Client({
  webSocketFactory: () => new WebSocket('${live}'),
  connectHeaders: { passcode: '${key}' },
  reconnectDelay: 1000,
  onConnect: () =>
    client.subscribe(
      '/topic/status.#',
      ({ headers, body }) => {
        if (!headers['message-id'].includes('.')) point = headers['message-id']
        console.log(headers.kind, body)
      },
      point ? { 'from-seq': point } : { snapshot: 'true' },
    ),
  onStompError: ({ headers, body }) => console.error(headers.message, body),
})
client.activate()`,
    },
    {
      language: 'Python',
      run: ['python3 rest.py', 'python3 live.py'],
      rest: `import json, urllib.request

request = urllib.request.Request(
    "${events}",
    headers={"Authorization": "Bearer ${key}"},
)
with urllib.request.urlopen(request) as answer:
    for event in json.load(answer)["data"]:
        print(event["kickoffAt"], event["homeTeam"], "v", event["awayTeam"])`,
      live: `import socket${isTls ? ', ssl' : ''}

connection = socket.create_connection(("${host}", ${stompPort}))
${isTls ? `connection = ssl.create_default_context().wrap_socket(connection, server_hostname="${host}")\n` : ''}connection.sendall(b"${CONNECT}${key}\\n\\n\\0")
connection.sendall(b"${SUBSCRIBE}")
frames = b""
while chunk := connection.recv(65536):
    *whole, frames = (frames + chunk).split(b"\\0")
    for frame in whole:
        print(frame.decode().strip(), flush=True)`,
    },
    {
      language: 'Go',
      run: ['go run rest.go', 'go run live.go'],
      rest: `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", "${events}", nil)
	request.Header.Set("Authorization", "Bearer ${key}")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	io.Copy(os.Stdout, answer.Body)
}`,
      live: `package main

import (
	"bufio"
	"fmt"
	"${isTls ? 'crypto/tls' : 'net'}"
)

func main() {
	connection, err := ${isTls ? `tls.Dial("tcp", "${host}:${stompPort}", nil)` : `net.Dial("tcp", "${host}:${stompPort}")`}
	if err != nil {
		panic(err)
	}
	fmt.Fprint(connection, "${CONNECT}${key}\\n\\n\\x00")
	fmt.Fprint(connection, "${SUBSCRIBE.replace('\\0', '\\x00')}")
	frames := bufio.NewReader(connection)
	for {
		frame, err := frames.ReadString(0)
		if err != nil {
			panic(err)
		}
		fmt.Println(frame)
	}
}`,
    },
    {
      language: 'Java',
      run: ['java Rest.java', 'java Live.java'],
      rest: `import java.net.URI;
import java.net.http.*;

class Rest {
  public static void main(String[] arguments) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("${events}"))
        .header("Authorization", "Bearer ${key}").build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(answer.body());
  }
}`,
      live: `import java.net.URI;
import java.net.http.*;
import java.util.concurrent.*;

class Live {
  public static void main(String[] arguments) throws Exception {
    var socket = HttpClient.newHttpClient().newWebSocketBuilder()
        .buildAsync(URI.create("${live}"), new WebSocket.Listener() {
          public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
            System.out.print(part);
            socket.request(1);
            return null;
          }
        }).join();
    socket.sendText("${CONNECT}${key}\\n\\n\\0", true).join();
    socket.sendText("${SUBSCRIBE}", true).join();
    new CountDownLatch(1).await();
  }
}`,
    },
  ]
}
