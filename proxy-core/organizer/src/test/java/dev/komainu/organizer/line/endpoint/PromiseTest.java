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

/** Answers that nobody asked for, over a line. */
class PromiseTest {

    private static final LineSettings ONE = Ends.QUICK.withConnections(1);

    final Ends ends = new Ends();

    /** Of both ends; null: plain. */
    LineTls tls() {
        return null;
    }

    @AfterEach
    void stop() throws Exception {
        ends.close();
    }

    /** A line whose other end answers everything so. */
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

    /** The answering end of a promise. */
    private static final class Promised extends Heard {

        private Answers.Pattern writes;
        private int size;

        Promised() {
            super(true);
        }

        @Override
        public void writable() {
            if (writes != null) {
                writes.writable();
            }
        }

        /** @return false: it may not be promised */
        boolean begin(LineStream beside, String path, int bytes) {
            size = bytes;
            LineStream made = beside.promise(Ends.get(path), size, this);
            if (made != null) {
                stream = made;
                writes = new Answers.Pattern(made, size);
            }
            return made != null;
        }

        void send() {
            stream.head(Answers.ok().setInt("content-length", size), size == 0);
            if (size > 0) {
                writes.writable();
            }
        }
    }

    /** Asks for a page, and hears what is promised beside it. */
    private static class Page extends Heard {

        private final boolean takesPromises;
        final BlockingQueue<Heard> promised = new LinkedBlockingQueue<>();
        private final List<String> paths = new ArrayList<>();
        private boolean headWasFirst;
        /** Promised bytes that came before the page was whole. */
        int before;

        Page(boolean takesPromises) {
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
            Heard one = promised.poll(180, TimeUnit.SECONDS);
            assertThat(one).isNotNull();
            return one;
        }
    }

    private static Page ask(Line line, boolean takesPromises) throws Exception {
        Page page = new Page(takesPromises);
        Ends.on(line, () -> page.stream = line.open(Ends.get("/page"), true, page));
        return page;
    }

    @Test
    void promised_comesBesideWhatWasAsked_byteForByte_andIsToldFirst() throws Exception {
        List<Promised> made = new ArrayList<>();
        Line line = line(ONE, stream -> {
            for (int size : new int[] {0, 1_000, 700_000}) {
                Promised one = new Promised();
                assertThat(one.begin(stream, "/" + size, size)).isTrue();
                made.add(one);
            }
            stream.head(Answers.ok(), true);
            made.forEach(one -> one.send());
        });
        Page page = ask(line, true);
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        for (Promised one : made) {
            Heard heard = page.next();
            assertThat(heard.end()).isEqualTo(StreamEnd.COMPLETE);
            assertThat(heard.body.toByteArray()).isEqualTo(Answers.pattern(one.size));
            assertThat(one.end()).isEqualTo(StreamEnd.COMPLETE);
        }
        assertThat(page.paths).containsExactly("/0", "/1000", "/700000");
        assertThat(page.headWasFirst).isFalse();
        assertThat(Ends.figures(line).connections().getFirst().heldBytes()).isZero();
        // And the connection is as good as before.
        assertThat(ask(line, true).end()).isEqualTo(StreamEnd.COMPLETE);
    }

    @Test
    void promised_toWhoTakesNone_isReset_andThePageComes() throws Exception {
        CompletableFuture<Promised> made = new CompletableFuture<>();
        Line line = line(ONE, stream -> {
            Promised one = new Promised();
            one.begin(stream, "/unwanted", 10);
            stream.head(Answers.ok(), true);
            made.complete(one);
        });
        assertThat(ask(line, false).end()).isEqualTo(StreamEnd.COMPLETE);
        StreamEnd how = made.get(180, TimeUnit.SECONDS).end();
        assertThat(how.reason()).isEqualTo(StreamEnd.Reason.RESET);
        assertThat(how.code()).isEqualTo(Http2Error.CANCEL.code());
    }

    @Test
    void promise_thatIsBroken_endsAtTheOtherEnd_beforeAndBehindItsHead() throws Exception {
        Line line = line(ONE, stream -> {
            Promised none = new Promised();
            none.begin(stream, "/none", 10);
            Promised half = new Promised();
            half.begin(stream, "/half", 10);
            half.stream.head(Answers.ok(), false);
            stream.head(Answers.ok(), true);
            none.stream.reset(Http2Error.INTERNAL_ERROR);
            half.stream.reset(Http2Error.INTERNAL_ERROR);
        });
        Page page = ask(line, true);
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(page.next().end().reason()).isEqualTo(StreamEnd.Reason.RESET);
        assertThat(page.next().end().reason()).isEqualTo(StreamEnd.Reason.RESET);
    }

    @Test
    void promises_areBounded_andTheirPlacesComeBack() throws Exception {
        BlockingQueue<List<Promised>> rounds = new LinkedBlockingQueue<>();
        Line line = line(ONE, stream -> {
            List<Promised> some = new ArrayList<>();
            Promised next = new Promised();
            while (some.size() < 1_000 && next.begin(stream, "/many", 10)) {
                some.add(next);
                next = new Promised();
            }
            stream.head(Answers.ok(), true);
            some.forEach(one -> one.send());
            rounds.add(some);
        });
        for (int round = 0; round < 2; round++) {
            Page page = ask(line, true);
            assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
            List<Promised> some = rounds.poll(180, TimeUnit.SECONDS);
            assertThat(some).hasSize(PushPromises.MOST);
            for (Promised one : some) {
                assertThat(one.end()).isEqualTo(StreamEnd.COMPLETE);
            }
        }
        BlockingQueue<Integer> large = new LinkedBlockingQueue<>();
        Line bytes = line(ONE, stream -> {
            int count = 0;
            while (new Promised().begin(stream, "/large", 1 << 20)) {
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
        CompletableFuture<Boolean> made = new CompletableFuture<>();
        Line line = line(ONE, stream -> {
            stream.head(Answers.ok(), true);
            made.complete(new Promised().begin(stream, "/late", 10));
        });
        assertThat(ask(line, true).end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(made.get(180, TimeUnit.SECONDS)).isFalse();
    }

    /** What was asked for goes first, though more was promised before. */
    @Test
    void page_ofAnySize_isSentBeforeWhatIsPromised() throws Exception {
        int size = 400_000;
        Line line = line(ONE, stream -> {
            List<Promised> some = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Promised one = new Promised();
                one.begin(stream, "/promised", 200_000);
                some.add(one);
            }
            some.forEach(one -> one.send());
            stream.head(Answers.ok().setInt("content-length", size), false);
            stream.data(Unpooled.wrappedBuffer(Answers.PATTERN, 0, size), true);
        });
        Page page = new Page(true) {
            @Override
            public void data(ByteBuf data, boolean ended) {
                super.data(data, ended);
                if (ended) {
                    before = promised.stream().mapToInt(one -> one.bytes).sum();
                }
            }
        };
        Ends.on(line, () -> page.stream = line.open(Ends.get("/page"), true, page));
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(page.body.toByteArray()).isEqualTo(Answers.pattern(size));
        // One frame in eight is theirs, and what was on its way before the page was there.
        assertThat(page.before).isLessThan(size / 4 + 256_000);
        for (int i = 0; i < 8; i++) {
            assertThat(page.next().end()).isEqualTo(StreamEnd.COMPLETE);
        }
    }

    @Test
    void connectionLost_endsWhatWasPromised() throws Exception {
        CompletableFuture<Promised> made = new CompletableFuture<>();
        Line line = line(ONE, stream -> {
            Promised none = new Promised();
            none.begin(stream, "/none", 10);
            stream.head(Answers.ok(), true);
            made.complete(none);
        });
        Page page = ask(line, true);
        assertThat(page.end()).isEqualTo(StreamEnd.COMPLETE);
        line.close();
        assertThat(page.next().end().reason()).isEqualTo(StreamEnd.Reason.CLOSED);
        assertThat(made.get(180, TimeUnit.SECONDS).end().reason()).isEqualTo(StreamEnd.Reason.LOST);
    }
}
