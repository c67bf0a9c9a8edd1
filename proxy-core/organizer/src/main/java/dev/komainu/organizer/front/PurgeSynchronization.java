package dev.komainu.organizer.front;

import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeMessages;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.intermediary.purge.PurgeRefusal;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.MemberId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The synchronization of purges between members. Each member sends each other member the purges
 * that it lacks, in the control class of the line. One round trip works in both directions. A
 * message is sent when an order is issued, when two members meet, and every second while a member
 * lacks a purge; otherwise nothing is sent.
 *
 * <p>The state belongs to the loop. Orders are carried out one at a time on a thread of this class,
 * because a scan of the whole store takes time.
 */
final class PurgeSynchronization implements PurgePropagation, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PurgeSynchronization.class);
    private static final int MAX_ENTRIES = 2_000;
    private static final int MAX_BYTES = 64 << 20;
    private static final long ACKNOWLEDGEMENT_MILLIS = 2_000;

    private final EventLoop loop;
    private final MemberLines lines;
    private final RoutingContext routing;
    private final FrontCounts counts;
    private final PurgeLog log;
    private final Consumer<PurgeOrder> purger;
    private final PurgeRights rights;
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
            task -> Thread.ofPlatform().name("komainu-purges").daemon().unstarted(task));
    /** One for each incarnation of a member. */
    private final Map<Incarnation, PurgePeer> peers = new HashMap<>();

    private final Future<?> schedule;

    private record Incarnation(MemberId member, long incarnation) {}

    /**
     * Starts the periodic synchronization.
     *
     * @param lines lines of the loop
     * @param purger carries out an order of another member; not called on an event loop
     */
    PurgeSynchronization(
            EventLoop loop,
            MemberLines lines,
            RoutingContext routing,
            FrontCounts counts,
            PurgeLog log,
            Consumer<PurgeOrder> purger,
            PurgeRights rights) {
        this.loop = loop;
        this.lines = lines;
        this.routing = routing;
        this.counts = counts;
        this.log = log;
        this.purger = purger;
        this.rights = rights;
        this.schedule =
                loop.scheduleWithFixedDelay(this::synchronize, 250, 1_000, TimeUnit.MILLISECONDS);
    }

    // Orders issued here.

    @Override
    public StartedOrder begin(PurgeOrder order) {
        PurgeRefusal reason = rights.ownRefusal(order);
        if (reason != null) {
            // Every other member would refuse it.
            counts.count(FrontCounts.Kind.PURGES_WITHHELD);
            Acknowledgements result = new Acknowledgements(
                    List.of(), List.of(), Map.of(routing.self().text(), reason));
            return () -> CompletableFuture.completedFuture(result);
        }
        PurgeLog.Entry entry = log.issue(order, rights::proof);
        return () -> {
            log.recordDone(entry);
            CompletableFuture<Acknowledgements> result = new CompletableFuture<>();
            try {
                loop.execute(() -> send(entry, result));
            } catch (RejectedExecutionException closing) {
                result.complete(new Acknowledgements(List.of(), List.of()));
            }
            return result;
        };
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task cannot fail
    private void send(PurgeLog.Entry entry, CompletableFuture<Acknowledgements> result) {
        updatePeers();
        counts.count(FrontCounts.Kind.PURGES_SPREAD);
        PurgeAcknowledgements acknowledgements = new PurgeAcknowledgements(result);
        List<PurgePeer> all =
                peers.values().stream().filter(peer -> !peer.hasNoStore).toList();
        all.forEach(peer -> acknowledgements.expect(peer.incarnation.member().text()));
        for (PurgePeer peer : all) {
            peer.pending.add(new PendingOrder(entry, acknowledgements));
            peer.send();
        }
        acknowledgements.completeIfDone();
        if (!result.isDone()) {
            loop.schedule(acknowledgements::close, ACKNOWLEDGEMENT_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private record PendingOrder(PurgeLog.Entry entry, PurgeAcknowledgements acknowledgements) {}

    /** Updates the peers to the members of the current table. */
    private void updatePeers() {
        List<Incarnation> present = new ArrayList<>();
        for (Announcement announcement : routing.currentTable().announcements()) {
            if (!announcement.member().equals(routing.self())) {
                Incarnation incarnation =
                        new Incarnation(announcement.member(), announcement.incarnation());
                present.add(incarnation);
                peers.computeIfAbsent(incarnation, PurgePeer::new).announced = announcement;
            }
        }
        for (Iterator<PurgePeer> iterator = peers.values().iterator(); iterator.hasNext(); ) {
            PurgePeer peer = iterator.next();
            if (!present.contains(peer.incarnation)) {
                iterator.remove();
                peer.missed();
            }
        }
    }

    private void synchronize() {
        updatePeers();
        for (PurgePeer peer : peers.values()) {
            if (!peer.hasNoStore && (peer.known == null || peer.sentVersion != log.version())) {
                peer.send();
            }
        }
    }

    /** Another member, and the state of the synchronization with it. */
    private final class PurgePeer {
        private final Incarnation incarnation;
        private final List<PendingOrder> pending = new ArrayList<>();
        private @Nullable Announcement announced;
        /** The purges that the peer reported last, by source; null before the first report. */
        private @Nullable Map<String, Long> known;

        private long sentVersion = -1;
        private boolean exchanging;
        private boolean sendAgain;
        private boolean hasNoStore;

        PurgePeer(Incarnation incarnation) {
            this.incarnation = incarnation;
        }

        void send() {
            if (exchanging) {
                sendAgain = true;
                return;
            }
            Announcement announcement = announced;
            Line line = announcement == null
                    ? null
                    : lines.line(announcement.member(), announcement.line());
            if (line == null) {
                missed();
                return;
            }
            exchanging = true;
            sendAgain = false;
            long version = log.version();
            Map<String, Long> reported = known;
            PurgeMessages text = new PurgeMessages(
                    log.lastNumbers(),
                    reported != null && log.hasForgottenFor(reported),
                    reported == null ? List.of() : log.missingFrom(reported, MAX_ENTRIES));
            ByteBuf body = bytes(text);
            Http2Headers head = new DefaultHttp2Headers(false, 8)
                    .method("POST")
                    .scheme("http")
                    .authority(routing.cluster())
                    .path("/")
                    .add(HeadConversion.LENGTH, Integer.toString(body.readableBytes()))
                    .add(MemberFields.PURGES, "1");
            MessageAggregator response = new MessageAggregator(MAX_BYTES) {
                @Override
                void complete(String text) {
                    process(text, loop, (message, ignored) -> onReply(message, version));
                }

                @Override
                void failed(boolean refused) {
                    exchanging = false;
                    hasNoStore |= refused;
                    missed();
                }
            };
            LineStream stream = line.openControl(head, false, response);
            response.setStream(stream);
            stream.data(body, true);
        }

        private void onReply(@Nullable PurgeMessages message, long version) {
            exchanging = false;
            if (message == null) {
                missed();
                return;
            }
            Map<String, Long> now = message.lastNumbers();
            boolean changed = !now.equals(known);
            known = now;
            pending.removeIf(order -> {
                boolean acknowledged = now.getOrDefault(order.entry().source(), 0L)
                        >= order.entry().number();
                PurgeRefusal reason = refusalOf(message, order.entry());
                if (reason != null) {
                    order.acknowledgements().refused(incarnation.member().text(), reason);
                } else if (acknowledged) {
                    counts.count(FrontCounts.Kind.PURGES_DONE);
                    order.acknowledgements().acknowledge(incarnation.member().text(), true);
                }
                return acknowledged || reason != null;
            });
            boolean lacksSome =
                    log.hasForgottenFor(now) || !log.missingFrom(now, 1).isEmpty();
            if (sendAgain || (lacksSome && changed)) {
                send();
            } else if (!lacksSome) {
                sentVersion = version;
            }
            // A peer that applied nothing of what it lacks receives it again a second later, not in
            // an endless loop at once.
        }

        /** Reports the peer as missing to the orders that wait for its acknowledgement. */
        void missed() {
            pending.forEach(order ->
                    order.acknowledgements().acknowledge(incarnation.member().text(), false));
            pending.clear();
        }
    }

    // Orders issued by other members.

    /** Refuses a purge message: this organizer has no store. */
    static StreamListener refused(RoutingContext routing, LineStream stream) {
        stream.head(routing.refusal(GatewayError.NO_ROUTE, routing.self().text()), true);
        MessageAggregator nothing = new MessageAggregator(MAX_BYTES) {
            @Override
            void complete(String message) {}

            @Override
            void failed(boolean refused) {}
        };
        nothing.setStream(stream);
        return nothing;
    }

    /** Accepts a purge message of a member. */
    StreamListener accept(LineStream stream) {
        MessageAggregator request = new MessageAggregator(MAX_BYTES) {
            @Override
            void complete(String text) {
                process(text, stream.loop(), (message, reply) -> {
                    if (reply == null) {
                        stream.reset(Http2Error.PROTOCOL_ERROR);
                        return;
                    }
                    ByteBuf body = bytes(reply);
                    stream.head(
                            new DefaultHttp2Headers(false, 4)
                                    .status("200")
                                    .add(
                                            HeadConversion.LENGTH,
                                            Integer.toString(body.readableBytes())),
                            false);
                    stream.data(body, true);
                });
            }

            @Override
            void failed(boolean refused) {
                // The peer sends it again.
            }
        };
        request.setStream(stream);
        return request;
    }

    /**
     * Receives a parsed message and the reply to it; both null when the message could not be parsed
     * or carried out.
     */
    @FunctionalInterface
    private interface MessageHandler {
        void handle(@Nullable PurgeMessages message, @Nullable PurgeMessages reply);
    }

    /**
     * Parses a message and carries out its orders on the executor.
     *
     * @param replyLoop the loop on which the handler is called
     */
    private void process(String text, EventLoop replyLoop, MessageHandler handler) {
        try {
            executor.execute(() -> {
                PurgeMessages message = null;
                PurgeMessages composed = null;
                try {
                    message = PurgeMessages.read(text);
                    List<PurgeMessages.RefusedOrder> refused = carryOut(message);
                    composed = new PurgeMessages(
                            log.lastNumbers(),
                            log.hasForgottenFor(message.lastNumbers()),
                            log.missingFrom(message.lastNumbers(), MAX_ENTRIES),
                            refused);
                } catch (IllegalArgumentException e) {
                    LOG.warn("purges: a member's message cannot be read ({})", e.getMessage());
                } catch (RuntimeException e) {
                    LOG.error("purges: a member's order was not carried out", e);
                    message = null;
                }
                PurgeMessages read = message;
                PurgeMessages reply = composed;
                replyLoop.execute(() -> handler.handle(read, reply));
            });
        } catch (RejectedExecutionException closing) {
            LOG.debug("Closing: {}", closing.getMessage());
        }
    }

    private static @Nullable PurgeRefusal refusalOf(PurgeMessages message, PurgeLog.Entry entry) {
        for (PurgeMessages.RefusedOrder refused : message.refused()) {
            if (refused.number() == entry.number() && refused.source().equals(entry.source())) {
                return refused.why();
            }
        }
        return null;
    }

    /** Carries out the orders of a message and returns the refused ones. */
    private List<PurgeMessages.RefusedOrder> carryOut(PurgeMessages message) {
        List<PurgeMessages.RefusedOrder> refused = new ArrayList<>();
        if (message.forgotten()) {
            // It is unknown which stored responses should have been purged.
            counts.count(FrontCounts.Kind.PURGED_ALL);
            purger.accept(PurgeOrder.of(PurgeOrder.everything()));
            log.recordAllDone(message.lastNumbers());
            return refused;
        }
        for (PurgeLog.Entry entry : message.entries()) {
            if (!log.isNext(entry)) {
                continue;
            }
            PurgeRefusal reason = rights.refusal(entry);
            if (reason != null) {
                counts.count(FrontCounts.Kind.PURGES_REFUSED);
                refused.add(new PurgeMessages.RefusedOrder(entry.source(), entry.number(), reason));
                if (reason.isProven()) {
                    // The order is stored and passed on, so that other members can decide. An order
                    // whose issuer is forged must not use up the numbers of the named member.
                    log.recordDone(entry);
                }
            } else {
                counts.count(FrontCounts.Kind.PURGES_HEARD);
                log.begin(entry);
                purger.accept(entry.order());
                log.recordDone(entry);
            }
        }
        return refused;
    }

    private static ByteBuf bytes(PurgeMessages text) {
        return Unpooled.wrappedBuffer(text.write().getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void close() {
        schedule.cancel(false);
        executor.shutdownNow();
    }
}
