package dev.komainu.organizer.member;

import dev.komainu.organizer.member.EventLog.Kind;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The membership of this process in the group.
 *
 * <p>It sends an announcement to all members when it changes, to each new member, and to all after
 * a merge. It sends a report once a second while it changes, and every five seconds in any case, so
 * that a member that missed an announcement sees its version and requests it. It measures the round
 * trip to each member every five seconds. All messages are signed where there are {@link Grants}.
 *
 * <p>Thread-safe. Its own thread, {@code komainu-organizer}, sends; JGroups' threads only pass
 * messages in.
 */
// The tick catches all its exceptions; the executor ends with this object.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Membership implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    private static final int TICKS_BETWEEN_PINGS = 5;
    private static final long FAREWELL = Long.MIN_VALUE;
    private static final long FAREWELL_MILLIS = 500;

    private final MembershipSettings settings;
    private final Grants grants;
    private final Supplier<LocalLoad> load;
    private final LongSupplier wallMillis;
    private final LongSupplier nanoClock;
    private final EventLog events;
    private final MemberForecasts forecasts;
    private final MemberDirectory<Address> directory;
    private final JChannel channel;
    private final long incarnation;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-organizer").daemon().unstarted(task));

    /** Guarded by this. */
    private Announcement own;

    private volatile Address self;
    private volatile List<Address> view = List.of();
    private volatile @Nullable CountDownLatch farewellAnswers;

    // Used by the own thread only.
    private @Nullable MemberLoad reported;
    private long sequence;
    private int ticks;

    private Membership(
            MembershipSettings settings,
            Grants grants,
            JChannel channel,
            LineEndpoint line,
            List<ServedRoute> routes,
            Supplier<LocalLoad> load,
            EventLog events,
            LongSupplier wallMillis,
            LongSupplier nanoClock) {
        this.settings = settings;
        this.grants = grants;
        this.channel = channel;
        this.load = load;
        this.events = events;
        this.wallMillis = wallMillis;
        this.nanoClock = nanoClock;
        this.incarnation = wallMillis.getAsLong();
        this.forecasts = new MemberForecasts(nanoClock);
        this.directory = new MemberDirectory<>(forecasts, events, wallMillis);
        this.own = new Announcement(settings.member(), incarnation, 1, line, false, routes);
        this.self = org.jgroups.util.UUID.randomUUID();
    }

    /**
     * Joins the group, or starts it where there is none yet. A member that started a group of its
     * own is merged within seconds.
     *
     * @param line address of this member's line
     * @param routes routes that it serves
     * @param load called every second; any thread
     * @param wallMillis since the epoch
     * @param nanoClock monotonic
     * @throws BindException when the address cannot be bound
     * @throws IOException when the group's protocols cannot start
     */
    public static Membership join(
            MembershipSettings settings,
            Credentials credentials,
            Grants grants,
            LineEndpoint line,
            List<ServedRoute> routes,
            Supplier<LocalLoad> load,
            EventLog events,
            LongSupplier wallMillis,
            LongSupplier nanoClock)
            throws IOException {
        JChannel channel = null;
        try {
            channel = GroupStack.channel(
                    settings,
                    credentials,
                    why -> events.add(Kind.MALFORMED, null, why + " (meet.multicast)"));
            Membership membership = new Membership(
                    settings, grants, channel, line, routes, load, events, wallMillis, nanoClock);
            membership.start();
            return membership;
        } catch (Exception e) {
            if (channel != null) {
                GroupStack.close(channel);
            }
            String address =
                    settings.listen().getHostString() + ":" + settings.listen().getPort();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof BindException) {
                    throw new BindException("listen: " + address + " (expected: "
                            + expected(settings.listen()) + ")");
                }
            }
            throw new IOException(
                    "listen: " + address + ": cannot join the group (" + e.getMessage() + ")", e);
        }
    }

    /** Returns what is expected instead of an address that cannot be bound. */
    private static String expected(InetSocketAddress listen) throws IOException {
        if (NetworkInterface.getByInetAddress(listen.getAddress()) != null) {
            return "a free port; another process listens on it";
        }
        String addresses = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(", "));
        return "an address of this machine, which has "
                + (addresses.isEmpty() ? "none" : addresses)
                + " now; where addresses are assigned late, start after that, or restart";
    }

    private void start() throws Exception {
        channel.setReceiver(new Receiver() {
            @Override
            public void viewAccepted(View next) {
                accept(next);
            }

            @Override
            public void receive(org.jgroups.Message message) {
                receiveMessage(
                        message.getSrc(),
                        message.getArray(),
                        message.getOffset(),
                        message.getLength());
            }
        });
        channel.connect("komainu." + settings.cluster());
        thread.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    /** Returns the current table. A request keeps the table with which it started. */
    public ClusterRouteTable table() {
        return directory.table();
    }

    /** Returns the forecast of each member, which also takes the outcomes of requests. */
    public MemberForecasts forecasts() {
        return forecasts;
    }

    public MemberId self() {
        return settings.member();
    }

    /** Returns all members that have announced themselves, sorted by name. */
    public List<MemberView> members() {
        List<Address> now = view;
        Address first = now.isEmpty() ? null : now.getFirst();
        List<MemberView> all = new ArrayList<>();
        for (Announcement announcement : directory.table().announcements()) {
            MemberId member = announcement.member();
            all.add(new MemberView(
                    announcement,
                    member.equals(settings.member()),
                    first != null && first.equals(directory.address(member)),
                    directory.isFlapping(member),
                    forecasts.report(member),
                    forecasts.of(member)));
        }
        return all;
    }

    /** Returns the number of members in the group, announced or not. */
    public int size() {
        return view.size();
    }

    /**
     * Announces other routes, or that this member drains.
     *
     * @throws IllegalArgumentException when a route is outside this member's grant, or is given
     *     twice
     */
    public void serve(List<ServedRoute> routes, boolean draining) {
        String fault = fault(routes);
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
        Announcement next;
        synchronized (this) {
            next = new Announcement(
                    own.member(), incarnation, own.version() + 1, own.line(), draining, routes);
            own = next;
            directory.announced(self, next, Long.MAX_VALUE);
        }
        submit(() -> send(null, new Message.Announced(next)));
    }

    /** Returns the reason why this member may not announce these routes; absent: it may. */
    public @Nullable String fault(List<ServedRoute> routes) {
        Grant grant = grants.own();
        UrlPrefix outside = grant == null ? null : grant.outside(routes);
        return grant == null || outside == null
                ? null
                : outside + " (expected: inside this member's grant, " + grant.prefixes() + ")";
    }

    /** Returns the current announcement of this member. */
    public synchronized Announcement own() {
        return own;
    }

    private void accept(View next) {
        List<Address> before = view;
        List<Address> now = List.copyOf(next.getMembers());
        boolean merged = next instanceof MergeView;
        synchronized (this) {
            self = Objects.requireNonNull(channel.getAddress());
            view = now;
            directory.view(now, merged);
            directory.announced(self, own, Long.MAX_VALUE);
        }
        submit(() -> {
            Message announced = new Message.Announced(own());
            if (before.isEmpty() || merged) {
                send(null, announced);
                return;
            }
            Set<Address> newcomers = new HashSet<>(now);
            before.forEach(newcomers::remove);
            for (Address newcomer : newcomers) {
                send(newcomer, announced);
            }
        });
    }

    private void receiveMessage(Address from, byte[] array, int offset, int length) {
        byte[] bytes = new byte[length];
        System.arraycopy(array, offset, bytes, 0, length);
        MessageCodec.Decoded read;
        try {
            read = MessageCodec.read(bytes);
        } catch (MalformedMessageException e) {
            events.add(Kind.MALFORMED, directory.member(from), String.valueOf(e.getMessage()));
            return;
        }
        switch (read.message()) {
            case Message.Announced announced -> {
                Announcement announcement = announced.announcement();
                Grant grant = verify(read, announcement.member());
                if (grant != null) {
                    UrlPrefix outside = grant.outside(announcement.routes());
                    if (outside != null) {
                        refuse(
                                announcement.member(),
                                "announces " + outside + " outside its grant");
                    } else {
                        directory.announced(from, announcement, grant.untilMillis());
                    }
                } else if (grants.authority() == null) {
                    directory.announced(from, announcement, Long.MAX_VALUE);
                }
                MemberId known = directory.member(from);
                if (known != null && forecasts.of(known).delayMicros() == 0) {
                    // The distance of a new member must be known before many requests go there.
                    submit(() -> ping(from));
                }
            }
            case Message.Reported reported -> {
                if (isTrusted(read, reported.report().member())
                        && directory.reported(from, reported.report())) {
                    submit(() -> send(from, new Message.Ask()));
                }
            }
            case Message.Farewell farewell -> {
                if (isTrusted(read, farewell.member())) {
                    directory.farewell(from, farewell.member(), farewell.incarnation());
                }
            }
            case Message.Ask ask -> submit(() -> send(from, new Message.Announced(own())));
            case Message.Ping ping -> submit(() -> send(from, new Message.Pong(ping.sentNanos())));
            case Message.Pong pong -> answered(from, pong.sentNanos());
        }
    }

    private void answered(Address from, long sentNanos) {
        if (sentNanos == FAREWELL) {
            CountDownLatch answers = farewellAnswers;
            if (answers != null) {
                answers.countDown();
            }
            return;
        }
        MemberId member = directory.member(from);
        long micros = (nanoClock.getAsLong() - sentNanos) / 1000;
        if (member != null && micros >= 0 && micros < TimeUnit.MINUTES.toMicros(1)) {
            measured(from, member, micros);
        }
    }

    /**
     * Records a round trip, and repeats the measurement until the delay is known. A new member's
     * first round trip includes handshakes, and a member that seems a hundred times as far as the
     * others would get no requests.
     */
    private void measured(Address from, MemberId member, long micros) {
        if (!forecasts.measured(member, micros)) {
            submit(() -> ping(from));
        }
    }

    private boolean isTrusted(MessageCodec.Decoded read, MemberId sender) {
        return grants.authority() == null || verify(read, sender) != null;
    }

    /**
     * Returns the sender's grant when there is an authority and the proof is valid. Otherwise
     * absent, with an event.
     */
    private @Nullable Grant verify(MessageCodec.Decoded read, MemberId sender) {
        if (grants.authority() == null) {
            return null;
        }
        if (read.grant().isEmpty()) {
            refuse(sender, "presents no grant");
            return null;
        }
        try {
            Grant grant = Grant.parse(read.grant());
            String fault =
                    grant.fault(grants.authority(), settings.cluster(), wallMillis.getAsLong());
            if (fault == null && !grant.member().equals(sender)) {
                fault = "it presents " + grant.member() + "'s grant";
            }
            if (fault == null && !Grant.verifies(grant.key(), read.signed(), read.signature())) {
                fault = "it is not signed by the grant's owner";
            }
            if (fault == null) {
                return grant;
            }
            refuse(sender, "is not trusted: " + fault);
        } catch (IllegalArgumentException e) {
            refuse(sender, "is not trusted: its grant, " + e.getMessage());
        }
        return null;
    }

    private void refuse(MemberId member, String why) {
        events.add(Kind.REFUSED, member, member + " " + why);
    }

    /**
     * Sends a message. Own thread only.
     *
     * @param to absent: all
     */
    private void send(@Nullable Address to, Message message) {
        byte[] body = MessageCodec.body(message);
        PrivateKey key = grants.key();
        Grant grant = grants.own();
        byte[] bytes = key == null || grant == null
                ? MessageCodec.message(body, "", new byte[0])
                : MessageCodec.message(body, grant.text(), Grant.sign(key, body));
        try {
            channel.send(new BytesMessage(to, bytes));
        } catch (Exception e) {
            // The channel is closed, or that member left meanwhile: a member that misses the
            // message requests it.
            LOG.debug("Not sent: {}", e.getMessage());
        }
    }

    /** Measures a round trip. Own thread only. */
    private void ping(Address to) {
        send(to, new Message.Ping(nanoClock.getAsLong()));
    }

    private void submit(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("Closing: {}", e.getMessage());
        }
    }

    private void tick() {
        try {
            directory.tick();
            report();
            if (ticks++ % TICKS_BETWEEN_PINGS == 0) {
                // This member's delay to itself is the minimum; without a value it would count as
                // far as the others.
                forecasts.measured(settings.member(), 1);
                for (Address member : view) {
                    if (!member.equals(self)) {
                        ping(member);
                    }
                }
            }
        } catch (RuntimeException e) {
            // A scheduled task that throws is never run again.
            LOG.error("The organizer's tick failed", e);
        }
    }

    private void report() {
        LocalLoad now = load.get();
        Map<MemberId, Long> delays = new HashMap<>();
        for (Announcement announcement : directory.table().announcements()) {
            long micros = forecasts.of(announcement.member()).delayMicros();
            if (micros > 0
                    && !announcement.member().equals(settings.member())
                    && delays.size() < MemberLoad.MAX_DELAYS) {
                delays.put(announcement.member(), rounded(micros));
            }
        }
        MemberLoad next = new MemberLoad(
                settings.member(),
                incarnation,
                own().version(),
                sequence + 1,
                now.inFlight(),
                now.serviceMicros(),
                now.served(),
                now.faults(),
                now.state(),
                delays);
        if (reported == null || ticks % TICKS_BETWEEN_PINGS == 0 || !next.hasSameValues(reported)) {
            sequence++;
            reported = next;
            directory.reported(self, next);
            send(null, new Message.Reported(next));
        }
    }

    /** Returns about one and a half significant digits: smaller changes are not worth a report. */
    private static long rounded(long micros) {
        long step = 1;
        while (micros / step >= 20) {
            step *= 10;
        }
        return Math.round(micros / (double) step) * step;
    }

    JChannel channel() {
        return channel;
    }

    /**
     * Leaves the group. The other members are notified first, so that none counts it as a crash.
     */
    @Override
    public void close() {
        List<Address> others =
                view.stream().filter(member -> !member.equals(self)).toList();
        CountDownLatch answers = new CountDownLatch(others.size());
        farewellAnswers = answers;
        submit(() -> {
            for (Address other : others) {
                // The ping follows in order: its answer confirms that both arrived.
                send(other, new Message.Farewell(settings.member(), incarnation));
                send(other, new Message.Ping(FAREWELL));
            }
        });
        try {
            if (!answers.await(FAREWELL_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.debug(
                        "Left before {} of {} members acknowledged it",
                        answers.getCount(),
                        others.size());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.shutdownNow();
        GroupStack.close(channel);
    }
}
