package dev.komainu.organizer.member;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.member.EventLog.Kind;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;

/** Members in this JVM over loopback. The first port is the seed of all. */
final class Group implements AutoCloseable {

    static final String SECRET = "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa";

    /** A member with the events that it saw. */
    static final class Member {
        final Membership membership;
        final EventLog events;
        final AtomicReference<LocalLoad> load;

        private Member(Membership membership, EventLog events, AtomicReference<LocalLoad> load) {
            this.membership = membership;
            this.events = events;
            this.load = load;
        }

        Stream<EventLog.Event> events(Kind kind) {
            return events.after(0).stream().filter(event -> event.kind() == kind);
        }

        /** Cuts the member off: its packets are dropped in both directions. */
        void cutOff(boolean cut) {
            ProtocolStack stack = membership.channel().getProtocolStack();
            DISCARD discard = stack.findProtocol(DISCARD.class);
            if (discard == null) {
                discard = new DISCARD();
                try {
                    stack.insertProtocol(discard, ProtocolStack.Position.ABOVE, TCP.class);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            discard.discardAll(cut);
        }

        /** Delays the messages that it sends. */
        void far(Duration oneWay) {
            try {
                membership
                        .channel()
                        .getProtocolStack()
                        .insertProtocol(
                                new Distance(oneWay), ProtocolStack.Position.ABOVE, TCP.class);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        /** Counts its pings that directly follow an answer, from now on. */
        AtomicInteger asksAtOnce() {
            PingCounter asking = new PingCounter();
            try {
                membership
                        .channel()
                        .getProtocolStack()
                        .insertProtocol(asking, ProtocolStack.Position.ABOVE, FRAG2.class);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return asking.atOnce;
        }

        /** Suspects another member, holds its answer, and delivers it after the next suspicion. */
        LateAnswer suspectWithLateAnswer(Member other) {
            LateAnswer late = new LateAnswer(membership
                    .channel()
                    .getProtocolStack()
                    .<VERIFY_SUSPECT2>findProtocol(VERIFY_SUSPECT2.class));
            try {
                membership
                        .channel()
                        .getProtocolStack()
                        .insertProtocol(late, ProtocolStack.Position.ABOVE, TCP.class);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            late.suspect(other.membership.channel().getAddress());
            return late;
        }

        /** Ends like a killed process: its connections break, and it sends nothing. */
        void crash() {
            cutOff(true);
            ((TCP) membership.channel().getProtocolStack().getTransport()).clearConnections(false);
            membership.channel().close();
        }
    }

    /** Protocol that delays each outgoing message, in order. */
    static final class Distance extends Protocol {
        private final long millis;
        private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(
                task -> Thread.ofPlatform().daemon().unstarted(task));

        Distance(Duration oneWay) {
            millis = oneWay.toMillis();
        }

        @Override
        public Object down(Message message) {
            later.schedule(() -> down_prot.down(message), millis, TimeUnit.MILLISECONDS);
            return null;
        }

        @Override
        public void destroy() {
            later.shutdownNow();
        }
    }

    /** Protocol that holds a suspect's answer until the suspect is suspected again. */
    static final class LateAnswer extends Protocol {
        private final AtomicReference<@Nullable Message> held = new AtomicReference<>();
        private final CountDownLatch delivered = new CountDownLatch(1);

        private final VERIFY_SUSPECT2 verification;
        private final long usualMillis;

        LateAnswer(VERIFY_SUSPECT2 verification) {
            this.verification = verification;
            this.usualMillis = verification.getTimeout();
        }

        /** On a slow machine, too, the suspicion lasts until the next one. */
        private void suspect(Address member) {
            verification.setTimeout(45_000);
            up_prot.up(new Event(Event.SUSPECT, List.of(member)));
        }

        boolean isHeld() {
            return held.get() != null;
        }

        boolean isDelivered() {
            return delivered.getCount() == 0;
        }

        @Override
        public Object up(Message message) {
            return isAnswer(message) && held.compareAndSet(null, message)
                    ? null
                    : up_prot.up(message);
        }

        @Override
        public void up(MessageBatch batch) {
            batch.removeIf(message -> isAnswer(message) && held.compareAndSet(null, message), true);
            if (!batch.isEmpty()) {
                up_prot.up(batch);
            }
        }

        @Override
        public Object up(Event event) {
            Object answer = up_prot.up(event);
            Message late = held.get();
            if (event.getType() == Event.SUSPECT && late != null && !isDelivered()) {
                up_prot.up(late);
                verification.setTimeout(usualMillis);
                delivered.countDown();
            }
            return answer;
        }

        private static boolean isAnswer(Message message) {
            return message.getHeader(ClassConfigurator.getProtocolId(VERIFY_SUSPECT2.class))
                            instanceof VERIFY_SUSPECT2.VerifyHeader header
                    && header.toString().contains("I_AM_NOT_DEAD");
        }
    }

    /**
     * Protocol that counts pings on the way down, in the sending thread: its stack shows the
     * reason.
     */
    private static final class PingCounter extends Protocol {
        final AtomicInteger atOnce = new AtomicInteger();

        @Override
        public Object down(Message message) {
            if (isPing(message)
                    && StackWalker.getInstance()
                            .walk(calls -> calls.anyMatch(
                                    call -> call.getMethodName().contains("measured")))) {
                atOnce.incrementAndGet();
            }
            return down_prot.down(message);
        }

        private static boolean isPing(Message message) {
            try {
                return message.hasArray()
                        && MessageCodec.read(Arrays.copyOfRange(
                                                message.getArray(),
                                                message.getOffset(),
                                                message.getOffset() + message.getLength()))
                                        .message()
                                instanceof dev.komainu.organizer.member.Message.Ping;
            } catch (MalformedMessageException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    final Path directory;
    final LongSupplier clock;
    private final int seed = freePort();
    private final List<Member> members = Collections.synchronizedList(new ArrayList<>());
    Grants grants = Grants.NONE;
    Duration detect = Duration.ofSeconds(10);
    /** The multicast group of discovery, instead of the seed. */
    @Nullable
    InetSocketAddress multicast;

    Group(Path directory) {
        this(directory, System::currentTimeMillis);
    }

    Group(Path directory, LongSupplier clock) {
        this.directory = directory;
        this.clock = clock;
    }

    int seed() {
        return seed;
    }

    static ServedRoute route(String prefix) {
        return new ServedRoute(UrlPrefix.parse(prefix), 1, 1, false, "");
    }

    Member start(String name, String... prefixes) throws IOException {
        return startWithSecret(name, SECRET, prefixes);
    }

    Member startWithSecret(String name, String secret, String... prefixes) throws IOException {
        Path file = directory.resolve(name + ".secret");
        Files.writeString(file, secret);
        return start(name, Credentials.ofSecret(file, "test"), prefixes);
    }

    Member start(String name, Credentials credentials, String... prefixes) throws IOException {
        MemberId id = new MemberId(name);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        int port = members.isEmpty() ? seed : freePort();
        MembershipSettings settings = new MembershipSettings(
                "test",
                id,
                new InetSocketAddress(loopback, port),
                multicast == null
                        ? List.of(
                                InetSocketAddress.createUnresolved(loopback.getHostAddress(), seed))
                        : List.of(),
                multicast,
                detect);
        EventLog events = new EventLog(clock);
        AtomicReference<LocalLoad> load = new AtomicReference<>(LocalLoad.NONE);
        Membership membership = Membership.join(
                settings,
                credentials,
                grants,
                new LineEndpoint("127.0.0.1", 1, id),
                Arrays.stream(prefixes).map(Group::route).toList(),
                load::get,
                events,
                clock,
                System::nanoTime);
        Member member = new Member(membership, events, load);
        members.add(member);
        return member;
    }

    /** Waits until exactly these members are in the table of each of them. */
    static void awaitAgreement(Member... members) {
        List<String> names = Arrays.stream(members)
                .map(member -> member.membership.self().text())
                .sorted()
                .toList();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Arrays.stream(members)
                                .allMatch(
                                        member -> member.membership.table().announcements().stream()
                                                .map(one -> one.member().text())
                                                .toList()
                                                .equals(names))
                        && Arrays.stream(members)
                                        .map(member -> member.membership.table().digest())
                                        .distinct()
                                        .count()
                                == 1);
    }

    @Override
    public void close() {
        // The coordinator last: no election is needed meanwhile.
        for (Member member : members.reversed()) {
            member.membership.close();
        }
    }
}
