package dev.komainu.organizer.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeMessages;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgeProof;
import dev.komainu.intermediary.purge.PurgeRefusal;
import dev.komainu.organizer.front.Cluster.Member;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.kit.Tuned;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A member that sends orders which the receiver refuses, over a real line. */
class RefusedPurgeTest {

    private static final String ROGUE = "rogue@1";

    /**
     * Orders for {@code theirs/} are outside the grant; a source other than {@link #ROGUE} is not
     * proven.
     */
    private static final PurgeRights RIGHTS = new PurgeRights() {
        @Override
        public @Nullable PurgeRefusal ownRefusal(PurgeOrder order) {
            return null;
        }

        @Override
        public @Nullable PurgeProof proof(PurgeLog.Entry entry) {
            return null;
        }

        @Override
        public @Nullable PurgeRefusal refusal(PurgeLog.Entry entry) {
            if (!entry.source().equals(ROGUE)) {
                return PurgeRefusal.UNPROVEN;
            }
            return entry.order().target() instanceof PurgeOrder.Uri uri
                            && uri.key().toString().startsWith("theirs/")
                    ? PurgeRefusal.OUTSIDE_GRANT
                    : null;
        }
    };

    private static PurgeLog.Entry order(String source, long number, String uri) {
        return new PurgeLog.Entry(
                source, number, PurgeOrder.of(new PurgeOrder.Uri(CacheKey.of(uri))));
    }

    private static PurgeMessages send(Member to, PurgeLog.Entry... entries) throws Exception {
        LineSettings settings = Tuned.withTimes(
                LineSettings.DEFAULT.withConnections(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                Duration.ofMillis(10),
                Duration.ofSeconds(60));
        InetSocketAddress at = to.front.lineAddress();
        EventLoop loop = to.front.loops().getFirst();
        CompletableFuture<String> heard = new CompletableFuture<>();
        try (Line line = new Line(
                loop, new LineAddress(at.getAddress(), at.getPort(), "web"), settings, null)) {
            Http2Headers head = new DefaultHttp2Headers()
                    .method("POST")
                    .scheme("http")
                    .authority("test")
                    .path("/")
                    .add(MemberFields.PURGES, "1");
            String text = new PurgeMessages(Map.of(), false, List.of(entries)).write();
            loop.execute(() -> {
                MessageAggregator answer = new MessageAggregator(1 << 20) {
                    @Override
                    void complete(String said) {
                        heard.complete(said);
                    }

                    @Override
                    void failed(boolean refused) {
                        heard.complete("");
                    }
                };
                LineStream stream = line.openControl(head, false, answer);
                answer.setStream(stream);
                stream.data(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1), true);
            });
            return PurgeMessages.read(heard.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void provenOrder_outsideItsGrant_isNotCarriedOut_theNextOneIs() throws Exception {
        try (Cluster cluster = new Cluster(Duration.ofSeconds(60))) {
            cluster.rights = RIGHTS;
            Member web = cluster.member("web");
            PurgeMessages answer = send(web, order(ROGUE, 1, "theirs/a"), order(ROGUE, 2, "his/a"));
            assertThat(answer.refused())
                    .containsExactly(
                            new PurgeMessages.RefusedOrder(ROGUE, 1, PurgeRefusal.OUTSIDE_GRANT));
            assertThat(answer.lastNumbers()).isEqualTo(Map.of(ROGUE, 2L));
            assertThat(web.count(FrontCounts.Kind.PURGES_REFUSED)).isOne();
            assertThat(web.count(FrontCounts.Kind.PURGES_HEARD)).isOne();
        }
    }

    @Test
    void unprovenOrder_isNotCarriedOut_andUsesNoNumber() throws Exception {
        try (Cluster cluster = new Cluster(Duration.ofSeconds(60))) {
            cluster.rights = RIGHTS;
            Member web = cluster.member("web");
            PurgeMessages answer =
                    send(web, order("other@1", 1, "his/a"), order("other@1", 2, "his/b"));
            assertThat(answer.refused())
                    .containsExactly(
                            new PurgeMessages.RefusedOrder("other@1", 1, PurgeRefusal.UNPROVEN));
            assertThat(answer.lastNumbers())
                    .as("whoever it is may still give his first")
                    .isEmpty();
            assertThat(web.count(FrontCounts.Kind.PURGES_HEARD)).isZero();
        }
    }
}
