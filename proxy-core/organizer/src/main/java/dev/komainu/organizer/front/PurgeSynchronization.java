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
 * Purges on their way between members: each tells each what that lacks, over the line's control
 * class, in one round trip that also brings what the teller lacks itself. Told at once when an
 * order is given, when two members meet, and every second while somebody lacks something; else
 * nothing is said.
 *
 * <p>State is the loop's; orders are carried out one after the other on a thread of this class,
 * because a look at everything stored takes time.
 */
final class PurgeSynchronization implements PurgePropagation, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PurgeSynchronization.class);
    private static final int MOST_TOLD = 2_000;
    private static final int MOST_BYTES = 64 << 20;
    private static final long ROUND_MILLIS = 2_000;

    private final EventLoop loop;
    private final MemberLines lines;
    private final RoutingContext routing;
    private final FrontCounts counts;
    private final PurgeLog log;
    private final Consumer<PurgeOrder> purger;
    private final PurgeRights rights;
    private final ExecutorService carrying = Executors.newSingleThreadExecutor(
            task -> Thread.ofPlatform().name("komainu-purges").daemon().unstarted(task));
    /** One life each. */
    private final Map<Life, Listener> listeners = new HashMap<>();

    private final Future<?> rounds;

    private record Life(MemberId member, long incarnation) {}

    /**
     * Begins to meet the members.
     *
     * @param lines of the loop
     * @param purger carries out an order of another member; not on an event loop
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
        this.rounds =
                loop.scheduleWithFixedDelay(this::everySecond, 250, 1_000, TimeUnit.MILLISECONDS);
    }

    // Orders given here.

    @Override
    public StartedOrder begin(PurgeOrder order) {
        PurgeRefusal why = rights.ownRefusal(order);
        if (why != null) {
            // Whoever listens would refuse it, too.
            counts.count(FrontCounts.Kind.PURGES_WITHHELD);
            Acknowledgements nobody = new Acknowledgements(
                    List.of(), List.of(), Map.of(routing.self().text(), why));
            return () -> CompletableFuture.completedFuture(nobody);
        }
        PurgeLog.Entry entry = log.issue(order, rights::proof);
        return () -> {
            log.recordDone(entry);
            CompletableFuture<Acknowledgements> told = new CompletableFuture<>();
            try {
                loop.execute(() -> tell(entry, told));
            } catch (RejectedExecutionException closing) {
                told.complete(new Acknowledgements(List.of(), List.of()));
            }
            return told;
        };
    }

    private void tell(PurgeLog.Entry entry, CompletableFuture<Acknowledgements> told) {
        meet();
        counts.count(FrontCounts.Kind.PURGES_SPREAD);
        PurgeAcknowledgements round = new PurgeAcknowledgements(told);
        List<Listener> all =
                listeners.values().stream().filter(one -> !one.isNoCache).toList();
        all.forEach(one -> round.awaits(one.life.member().text()));
        for (Listener one : all) {
            one.awaited.add(new Awaited(entry, round));
            one.tell();
        }
        round.look();
        if (!told.isDone()) {
            loop.schedule(round::close, ROUND_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private record Awaited(PurgeLog.Entry entry, PurgeAcknowledgements round) {}

    /** Everybody who is there, and nobody else. */
    private void meet() {
        List<Life> present = new ArrayList<>();
        for (Announcement one : routing.tableNow().announcements()) {
            if (!one.member().equals(routing.self())) {
                Life life = new Life(one.member(), one.incarnation());
                present.add(life);
                listeners.computeIfAbsent(life, Listener::new).announced = one;
            }
        }
        for (Iterator<Listener> each = listeners.values().iterator(); each.hasNext(); ) {
            Listener one = each.next();
            if (!present.contains(one.life)) {
                each.remove();
                one.missed();
            }
        }
    }

    private void everySecond() {
        meet();
        for (Listener one : listeners.values()) {
            if (!one.isNoCache && (one.known == null || one.toldVersion != log.version())) {
                one.tell();
            }
        }
    }

    /** A member as it is told. */
    private final class Listener {
        private final Life life;
        private final List<Awaited> awaited = new ArrayList<>();
        private @Nullable Announcement announced;
        /** What it said last that it knows; absent before. */
        private @Nullable Map<String, Long> known;

        private long toldVersion = -1;
        private boolean isTold;
        private boolean again;
        private boolean isNoCache;

        Listener(Life life) {
            this.life = life;
        }

        void tell() {
            if (isTold) {
                again = true;
                return;
            }
            Announcement where = announced;
            Line line = where == null ? null : lines.to(where.member(), where.line());
            if (line == null) {
                missed();
                return;
            }
            isTold = true;
            again = false;
            long version = log.version();
            Map<String, Long> theirs = known;
            PurgeMessages text = new PurgeMessages(
                    log.lastNumbers(),
                    theirs != null && log.hasForgottenFor(theirs),
                    theirs == null ? List.of() : log.missingFrom(theirs, MOST_TOLD));
            ByteBuf body = bytes(text);
            Http2Headers head = new DefaultHttp2Headers(false, 8)
                    .method("POST")
                    .scheme("http")
                    .authority(routing.cluster())
                    .path("/")
                    .add(HeadConversion.LENGTH, Integer.toString(body.readableBytes()))
                    .add(MemberFields.PURGES, "1");
            MessageAggregator answer = new MessageAggregator(MOST_BYTES) {
                @Override
                void whole(String answer) {
                    carry(answer, loop, (said, ignored) -> heard(said, version));
                }

                @Override
                void none(boolean refused) {
                    isTold = false;
                    isNoCache |= refused;
                    missed();
                }
            };
            LineStream stream = line.openControl(head, false, answer);
            answer.on(stream);
            stream.data(body, true);
        }

        private void heard(@Nullable PurgeMessages said, long version) {
            isTold = false;
            if (said == null) {
                missed();
                return;
            }
            Map<String, Long> now = said.lastNumbers();
            boolean moved = !now.equals(known);
            known = now;
            awaited.removeIf(one -> {
                boolean did = now.getOrDefault(one.entry().source(), 0L)
                        >= one.entry().number();
                PurgeRefusal why = why(said, one.entry());
                if (why != null) {
                    one.round().refused(life.member().text(), why);
                } else if (did) {
                    counts.count(FrontCounts.Kind.PURGES_DONE);
                    one.round().did(life.member().text(), true);
                }
                return did || why != null;
            });
            boolean lacksSome =
                    log.hasForgottenFor(now) || !log.missingFrom(now, 1).isEmpty();
            if (again || lacksSome && moved) {
                tell();
            } else if (!lacksSome) {
                toldVersion = version;
            }
            // Who took nothing of what he lacks is told again a second later, not without end at
            // once.
        }

        /** Those who wait for its word are told that there is none yet. */
        void missed() {
            awaited.forEach(one -> one.round().did(life.member().text(), false));
            awaited.clear();
        }
    }

    // Orders given elsewhere.

    /** Hears nobody: this organizer is no cache. */
    static StreamListener refused(RoutingContext routing, LineStream stream) {
        stream.head(routing.refusal(GatewayError.NO_ROUTE, routing.self().text()), true);
        MessageAggregator nothing = new MessageAggregator(MOST_BYTES) {
            @Override
            void whole(String message) {}

            @Override
            void none(boolean refused) {}
        };
        nothing.on(stream);
        return nothing;
    }

    /** Hears a member. */
    StreamListener taken(LineStream stream) {
        MessageAggregator question = new MessageAggregator(MOST_BYTES) {
            @Override
            void whole(String told) {
                carry(told, stream.loop(), (said, answer) -> {
                    if (answer == null) {
                        stream.reset(Http2Error.PROTOCOL_ERROR);
                        return;
                    }
                    ByteBuf body = bytes(answer);
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
            void none(boolean refused) {
                // It tells again.
            }
        };
        question.on(stream);
        return question;
    }

    /** What was read, and what to answer; both absent when it could not be read. */
    @FunctionalInterface
    private interface Then {
        void done(@Nullable PurgeMessages said, @Nullable PurgeMessages answer);
    }

    /** @param hears the loop on which {@code then} is called */
    private void carry(String text, EventLoop hears, Then then) {
        try {
            carrying.execute(() -> {
                PurgeMessages said = null;
                PurgeMessages answer = null;
                try {
                    said = PurgeMessages.read(text);
                    List<PurgeMessages.RefusedOrder> refused = carryOut(said);
                    answer = new PurgeMessages(
                            log.lastNumbers(),
                            log.hasForgottenFor(said.lastNumbers()),
                            log.missingFrom(said.lastNumbers(), MOST_TOLD),
                            refused);
                } catch (IllegalArgumentException e) {
                    LOG.warn("purges: a member's message cannot be read ({})", e.getMessage());
                } catch (RuntimeException e) {
                    LOG.error("purges: a member's order was not carried out", e);
                    said = null;
                }
                PurgeMessages read = said;
                PurgeMessages reply = answer;
                hears.execute(() -> then.done(read, reply));
            });
        } catch (RejectedExecutionException closing) {
            LOG.debug("Closing: {}", closing.getMessage());
        }
    }

    private static @Nullable PurgeRefusal why(PurgeMessages said, PurgeLog.Entry entry) {
        for (PurgeMessages.RefusedOrder one : said.refused()) {
            if (one.number() == entry.number() && one.source().equals(entry.source())) {
                return one.why();
            }
        }
        return null;
    }

    /** @return what was not done of it */
    private List<PurgeMessages.RefusedOrder> carryOut(PurgeMessages said) {
        List<PurgeMessages.RefusedOrder> refused = new ArrayList<>();
        if (said.forgotten()) {
            // Which of what is stored should be gone, nobody can tell any more.
            counts.count(FrontCounts.Kind.PURGED_ALL);
            purger.accept(PurgeOrder.of(PurgeOrder.everything()));
            log.recordAllDone(said.lastNumbers());
            return refused;
        }
        for (PurgeLog.Entry entry : said.entries()) {
            if (!log.isNext(entry)) {
                continue;
            }
            PurgeRefusal why = rights.refusal(entry);
            if (why != null) {
                counts.count(FrontCounts.Kind.PURGES_REFUSED);
                refused.add(new PurgeMessages.RefusedOrder(entry.source(), entry.number(), why));
                if (why.isProven()) {
                    // Known and passed on, for others to judge; who named somebody else must not
                    // take his numbers.
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
        rounds.cancel(false);
        carrying.shutdownNow();
    }
}
