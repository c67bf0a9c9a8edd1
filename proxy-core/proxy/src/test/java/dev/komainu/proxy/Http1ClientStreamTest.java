package dev.komainu.proxy;

import dev.komainu.intermediary.kit.RawClient;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The contract of client streams, through HTTP/1.1. */
class Http1ClientStreamTest extends ClientStreamContract {

    @Override
    Visitor visitor(InetSocketAddress proxy) throws IOException {
        return new Caller(proxy);
    }

    private static final class Caller implements Visitor {

        private static final String HOST = " HTTP/1.1\r\nHost: test.example\r\n";
        private final InetSocketAddress proxy;
        private RawClient client;

        Caller(InetSocketAddress proxy) throws IOException {
            this.proxy = proxy;
            this.client = new RawClient(proxy);
        }

        @Override
        public Reply ask(String method, String path, String... fields) throws IOException {
            client.send(method + " " + path + HOST
                    + String.join(
                            "",
                            java.util.Arrays.stream(fields).map(f -> f + "\r\n").toList())
                    + "\r\n");
            return read(method.equals("HEAD"));
        }

        private Reply read(boolean headOnly) throws IOException {
            try {
                RawClient.Answer answer = client.read(headOnly);
                if (answer.field("Connection").equals("close")) {
                    client.close();
                    client = new RawClient(proxy);
                }
                return new Reply(answer.status(), answer::field, answer.body(), true);
            } catch (EOFException | SocketException broken) {
                return new Reply(0, name -> "", "", false);
            }
        }

        @Override
        public Reply upload(String path, boolean counted, String... parts) throws IOException {
            int total = String.join("", parts).length();
            client.send("POST " + path + HOST
                    + (counted ? "Content-Length: " + total : "Transfer-Encoding: chunked")
                    + "\r\n\r\n");
            for (String part : parts) {
                client.send(
                        counted
                                ? part
                                : Integer.toHexString(part.length()) + "\r\n" + part + "\r\n");
            }
            if (!counted) {
                client.send("0\r\n\r\n");
            }
            return read(false);
        }

        @Override
        public Reply uploadWithTrailer(String path, String body, String name, String value)
                throws IOException {
            client.send("POST " + path + HOST + "Trailer: " + name
                    + "\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n" + name + ": "
                    + value
                    + "\r\n\r\n");
            return read(false);
        }

        @Override
        public List<String> trailers() {
            return client.trailers;
        }

        @Override
        public void uploadHalfAndLeave(String path) throws IOException {
            client.send("POST " + path + HOST + "Content-Length: 10\r\n\r\nhalf");
            client.close();
        }

        @Override
        public List<Reply> together(String... paths) throws IOException {
            StringBuilder all = new StringBuilder();
            for (String path : paths) {
                all.append("GET ").append(path).append(HOST).append("\r\n");
            }
            client.send(all.toString());
            List<Reply> replies = new ArrayList<>();
            for (int i = 0; i < paths.length; i++) {
                replies.add(read(false));
            }
            return replies;
        }

        @Override
        public void requestAndLeave(String path, CountDownLatch asked)
                throws IOException, InterruptedException {
            client.send(
                    "GET " + path + HOST + "Authorization: Basic eDp5\r\nRange: bytes=0-1\r\n\r\n");
            asked.await();
            // A client that only ends its side may still need its response.
            client.socket().setSoLinger(true, 0);
            client.close();
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }
}
