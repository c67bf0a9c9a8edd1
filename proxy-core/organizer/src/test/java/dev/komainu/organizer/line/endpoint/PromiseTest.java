package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.PushPromises;
import dev.komainu.organizer.line.kit.Answers;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.Heard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Promised responses over a line, which were not requested. */
class PromiseTest {

    private static final LineSettings ONE = Ends.QUICK.withConnections(1);

    final Ends ends = new Ends();

    /** Returns the TLS of both ends; null: plain. */
    LineTls tls() {
        return null;
    }

    @AfterEach
    void tearDown() throws Exception {
        ends.close();
    }

    /** Returns a line whose other end answers every request with this. */
    private Line line(LineSettings settings, Consumer<LineStream> answers) throws Exception {
        StreamAcceptor taker = (head, ended, stream, peer) -> {
            answers.accept(stream);
            return new Heard(true);
        };
        return ends.line(
                ends.server(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                settings,
                                tls(),
                                taker)
                        .address(),
                settings,
                tls());
    }

    /** The sending end of a promise. */
    private static final class PromisedResponse extends Heard {

        private Answers.Pattern writes;
        private int size;

        PromisedResponse() {
            super(true);
        }

        @Override
        public void writable() {
            if (writes != null) {
                writes.writable();
            }
        }

        /**
         * Promises and starts a response.
         *
         * @return false: no promise is allowed
         */
        boolean begin(LineStream beside, String path, int bytes) {
            size = bytes;
            LineStream promises = beside.promise(Ends.get(path), size, this);
            if (promises != null) {
                stream = promises;
                writes = new Answers.Pattern(promises, size);
            }
            return promises != null;
        }

        void send() {
            stream.head(Answers.ok().setInt("content-length", size), size == 0);
            if (size > 0) {
                writes.writable();
            }
        }
    }

    /** A request for a page that receives the promised responses beside it. */
    private static class PageRequest extends Heard {

        private final boolean takesPromises;
        final BlockingQueue<Heard> promised = new LinkedBlockingQueue<>();
        private final List<String> paths = new ArrayList<>();
        private boolean headWasFirst;
        /** Promised bytes that came before the page was complete. */
        int before;

        PageRequest(boolean takesPromises) {
            super(true);
            this.takesPromises = takesPromises;
        }

        @Override
        public StreamListener promised(Http2Headers head, LineStream brings) {
            headWasFirst |= this.head.isDone();
            paths.add(head.path().toString());
            if (!takesPromises) {
                return super.promised(head, brings);
            }
            Heard hears = new Heard(true);
            hears.stream = brings;
            promised.add(hears);
            return hears;
        }

        Heard next() throws Exception {
            Heard promise = promised.poll(180, TimeUnit.SECONDS);
            assertThat(promise).isNotNull();
            return promise;
        }
    }

    private static PageRequest ask(Line line, boolean takesPromises) throws Exception {
        PageRequest page = new PageRequest(takesPromises);
        Ends.on(line, () -> page.stream = line.open(Ends.get("/page"), true, page));
        return page;
    }

    @Test
    void promised_comesBesideTheResponse_byteForByte_andIsAnnouncedFirst() throws Exception {
        List<PromisedResponse> promises = new ArrayList<>();
        Line line = line(ONE, stream -> {
            for (int size : new int[] {0, 1_000, 700_000}) {
                PromisedResponse promise = new PromisedResponse();
                assertThat(promise.begin(stream, "/" + size, size)).isTrue();
                promises.add(promise);
            }
            stream.head(Answers.ok(), true);
            promises.forEach(promise -> promise.send());
        });
        PageRequest page = ask(line, true);
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        for (PromisedResponse promise : promises) {
            Heard response = page.next();
            assertThat(response.end()).isEqualTo(StreamEnd.COMPLETE);
            assertThat(response.body.toByteArray()).isEqualTo(Answers.pattern(promise.size));
            assertThat(promise.end()).isEqualTo(StreamEnd.COMPLETE);
        }
        assertThat(page.paths).containsExactly("/0", "/1000", "/700000");
        assertThat(page.headWasFirst).isFalse();
        assertThat(Ends.figures(line).connections().getFirst().heldBytes()).isZero();
        // The connection still works.
        assertThat(ask(line, true).end()).isEqualTo(StreamEnd.COMPLETE);
    }

    @Test
    void promised_toClientThatAcceptsNone_isReset_andThePageComes() throws Exception {
        CompletableFuture<PromisedResponse> promises = new CompletableFuture<>();
        Line line = line(ONE, stream -> {
            PromisedResponse promise = new PromisedResponse();
            promise.begin(stream, "/unwanted", 10);
            stream.head(Answers.ok(), true);
            promises.complete(promise);
        });
        assertThat(ask(line, false).end()).isEqualTo(StreamEnd.COMPLETE);
        StreamEnd how = promises.get(180, TimeUnit.SECONDS).end();
        assertThat(how.reason()).isEqualTo(StreamEnd.Reason.RESET);
        assertThat(how.code()).isEqualTo(Http2Error.CANCEL.code());
    }

    @Test
    void promise_thatIsBroken_endsAtTheOtherEnd_beforeAndBehindItsHead() throws Exception {
        Line line = line(ONE, stream -> {
            PromisedResponse none = new PromisedResponse();
            none.begin(stream, "/none", 10);
            PromisedResponse half = new PromisedResponse();
            half.begin(stream, "/half", 10);
            half.stream.head(Answers.ok(), false);
            stream.head(Answers.ok(), true);
            none.stream.reset(Http2Error.INTERNAL_ERROR);
            half.stream.reset(Http2Error.INTERNAL_ERROR);
        });
        PageRequest page = ask(line, true);
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(page.next().end().reason()).isEqualTo(StreamEnd.Reason.RESET);
        assertThat(page.next().end().reason()).isEqualTo(StreamEnd.Reason.RESET);
    }

    @Test
    void promises_areBounded_andTheirPlacesComeBack() throws Exception {
        BlockingQueue<List<PromisedResponse>> rounds = new LinkedBlockingQueue<>();
        Line line = line(ONE, stream -> {
            List<PromisedResponse> some = new ArrayList<>();
            PromisedResponse next = new PromisedResponse();
            while (some.size() < 1_000 && next.begin(stream, "/many", 10)) {
                some.add(next);
                next = new PromisedResponse();
            }
            stream.head(Answers.ok(), true);
            some.forEach(promise -> promise.send());
            rounds.add(some);
        });
        for (int round = 0; round < 2; round++) {
            PageRequest page = ask(line, true);
            assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
            List<PromisedResponse> some = rounds.poll(180, TimeUnit.SECONDS);
            assertThat(some).hasSize(PushPromises.MOST);
            for (PromisedResponse promise : some) {
                assertThat(promise.end()).isEqualTo(StreamEnd.COMPLETE);
            }
        }
        BlockingQueue<Integer> large = new LinkedBlockingQueue<>();
        Line bytes = line(ONE, stream -> {
            int count = 0;
            while (new PromisedResponse().begin(stream, "/large", 1 << 20)) {
                count++;
            }
            large.add(count);
            stream.head(Answers.ok(), true);
        });
        ask(bytes, true).end();
        assertThat(large.poll(180, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void promise_afterTheAnswerHasEnded_isNone() throws Exception {
        CompletableFuture<Boolean> promises = new CompletableFuture<>();
        Line line = line(ONE, stream -> {
            stream.head(Answers.ok(), true);
            promises.complete(new PromisedResponse().begin(stream, "/late", 10));
        });
        assertThat(ask(line, true).end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(promises.get(180, TimeUnit.SECONDS)).isFalse();
    }

    /** The requested response goes first, though more bytes were promised before. */
    @Test
    void page_ofAnySize_isSentBeforeWhatIsPromised() throws Exception {
        int size = 400_000;
        Line line = line(ONE, stream -> {
            List<PromisedResponse> some = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                PromisedResponse promise = new PromisedResponse();
                promise.begin(stream, "/promised", 200_000);
                some.add(promise);
            }
            some.forEach(promise -> promise.send());
            stream.head(Answers.ok().setInt("content-length", size), false);
            stream.data(Unpooled.wrappedBuffer(Answers.PATTERN, 0, size), true);
        });
        PageRequest page = new PageRequest(true) {
            @Override
            public void data(ByteBuf data, boolean ended) {
                super.data(data, ended);
                if (ended) {
                    before =
                            promised.stream().mapToInt(promise -> promise.bytes).sum();
                }
            }
        };
        Ends.on(line, () -> page.stream = line.open(Ends.get("/page"), true, page));
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(page.body.toByteArray()).isEqualTo(Answers.pattern(size));
        // One frame in eight belongs to the promises, and bytes that were under way before the page
        // started.
        assertThat(page.before).isLessThan(size / 4 + 256_000);
        for (int i = 0; i < 8; i++) {
            assertThat(page.next().end()).isEqualTo(StreamEnd.COMPLETE);
        }
    }

    @Test
    void connectionLost_endsWhatWasPromised() throws Exception {
        CompletableFuture<PromisedResponse> promises = new CompletableFuture<>();
        Line line = line(ONE, stream -> {
            PromisedResponse none = new PromisedResponse();
            none.begin(stream, "/none", 10);
            stream.head(Answers.ok(), true);
            promises.complete(none);
        });
        PageRequest page = ask(line, true);
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        line.close();
        assertThat(page.next().end().reason()).isEqualTo(StreamEnd.Reason.CLOSED);
        assertThat(promises.get(180, TimeUnit.SECONDS).end().reason())
                .isEqualTo(StreamEnd.Reason.LOST);
    }
}
