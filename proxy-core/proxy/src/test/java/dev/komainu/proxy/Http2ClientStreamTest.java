package dev.komainu.proxy;

import dev.komainu.intermediary.kit.FrameClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/** The contract of client streams, through HTTP/2. */
class Http2ClientStreamTest extends ClientStreamContract {

    @Override
    Visitor visitor(InetSocketAddress proxy) throws IOException {
        return new Caller(new FrameClient(proxy));
    }

    private record Caller(FrameClient client) implements Visitor {

        private static final int CANCEL = 8;

        @Override
        public Reply ask(String method, String path, String... fields) throws IOException {
            return read(client.ask(method, path, fields));
        }

        private Reply read(int stream) throws IOException {
            FrameClient.Answer answer = client.answer(stream);
            int status = answer.field(":status").isEmpty() ? 0 : answer.status();
            return new Reply(status, answer::field, answer.body(), answer.reset() < 0);
        }

        @Override
        public Reply upload(String path, boolean counted, String... parts) throws IOException {
            int total = String.join("", parts).length();
            int stream = counted
                    ? client.begin("POST", path, "content-length: " + total)
                    : client.begin("POST", path, "x-length: unknown");
            for (int i = 0; i < parts.length; i++) {
                client.upload(stream, parts[i], i == parts.length - 1);
            }
            return read(stream);
        }

        @Override
        public Reply uploadWithTrailer(String path, String body, String name, String value)
                throws IOException {
            int stream = client.begin("POST", path, "trailer: " + name);
            client.data(stream, body, false);
            client.frame(
                    FrameClient.HEADERS,
                    FrameClient.END_HEADERS | FrameClient.END_STREAM,
                    stream,
                    FrameClient.block(name.toLowerCase(Locale.ROOT), value));
            return read(stream);
        }

        @Override
        public List<String> trailers() {
            return client.trailers;
        }

        @Override
        public void uploadHalfAndLeave(String path) throws IOException {
            int stream = client.begin("POST", path, "content-length: 10");
            client.data(stream, "half", false);
            client.frame(FrameClient.RST_STREAM, 0, stream, FrameClient.number(CANCEL));
        }

        @Override
        public List<Reply> together(String... paths) throws IOException {
            List<Integer> streams = new ArrayList<>();
            for (String path : paths) {
                streams.add(client.ask("GET", path));
            }
            List<Reply> replies = new ArrayList<>();
            for (int stream : streams) {
                replies.add(read(stream));
            }
            return replies;
        }

        @Override
        public void requestAndLeave(String path, CountDownLatch asked)
                throws IOException, InterruptedException {
            int stream = client.ask("GET", path, "authorization: Basic eDp5", "range: bytes=0-1");
            asked.await();
            client.frame(FrameClient.RST_STREAM, 0, stream, FrameClient.number(CANCEL));
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }
}
