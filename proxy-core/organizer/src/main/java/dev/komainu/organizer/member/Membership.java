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
 * This member's part in the group.
 *
 * <p>What is said and when: an announcement to all when it changes, to each newcomer, and to all
 * after a merge; a report once a second while it changes, and every five seconds in any case, so
 * that whoever missed an announcement sees its version and asks; a round trip to each member every
 * five seconds. All of it is signed where there are {@link Grants}.
 *
 * <p>Safe for all threads. Own thread: {@code komainu-organizer}, which sends; JGroups' threads
 * only hand in.
 */
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
    private final MemberDirectory<Address> roster;
    private final JChannel channel;
    private final long incarnation;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-organizer").daemon().unstarted(task));

    /** Guarded by this. */
    private Announcement own;

    private volatile Address self;
    private volatile List<Address> view = List.of();
    private volatile @Nullable CountDownLatch heard;

    // The own thread's.
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
        this.roster = new MemberDirectory<>(forecasts, events, wallMillis);
        this.own = new Announcement(settings.member(), incarnation, 1, line, false, routes);
        this.self = org.jgroups.util.UUID.randomUUID();
    }

    /**
     * Joins the group, or begins it where there is none yet; whoever began one of his own is merged
     * within seconds.
     *
     * @param line where this member's line is reached
     * @param routes what it serves
     * @param load asked every second; any thread
     * @param wallMillis since the epoch
     * @param nanoClock monotonic
     * @throws BindException when the address cannot be had
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
                    why -> events.tell(Kind.MALFORMED, null, why + ", at meet.multicast"));
            Membership membership = new Membership(
                    settings, grants, channel, line, routes, load, events, wallMillis, nanoClock);
            membership.begin();
            return membership;
        } catch (Exception e) {
            if (channel != null) {
                channel.close();
            }
            String at =
                    settings.listen().getHostString() + ":" + settings.listen().getPort();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof BindException) {
                    throw new BindException(
                            "listen: " + at + " (expected: " + expected(settings.listen()) + ")");
                }
            }
            throw new IOException(
                    "listen: " + at + ": the group cannot be joined (" + e.getMessage() + ")", e);
        }
    }

    /** Of an address where nobody can listen. */
    private static String expected(InetSocketAddress listen) throws IOException {
        if (NetworkInterface.getByInetAddress(listen.getAddress()) != null) {
            return "a free port; another process listens there";
        }
        String here = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(", "));
        return "an address of this machine, which has "
                + (here.isEmpty() ? "none" : here)
                + " now; where addresses come late, start after them or again";
    }

    private void begin() throws Exception {
        channel.setReceiver(new Receiver() {
            @Override
            public void viewAccepted(View next) {
                accept(next);
            }

            @Override
            public void receive(org.jgroups.Message message) {
                hear(
                        message.getSrc(),
                        message.getArray(),
                        message.getOffset(),
                        message.getLength());
            }
        });
        channel.connect("komainu." + settings.cluster());
        thread.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    /** The table now. A request keeps the one it began with. */
    public ClusterRouteTable table() {
        return roster.table();
    }

    /** What is to be expected of each member, and where what happens to requests is told. */
    public MemberForecasts forecasts() {
        return forecasts;
    }

    public MemberId self() {
        return settings.member();
    }

    /** All who announced themselves, sorted by name. */
    public List<MemberView> members() {
        List<Address> now = view;
        Address first = now.isEmpty() ? null : now.getFirst();
        List<MemberView> all = new ArrayList<>();
        for (Announcement announcement : roster.table().announcements()) {
            MemberId member = announcement.member();
            all.add(new MemberView(
                    announcement,
                    member.equals(settings.member()),
                    first != null && first.equals(roster.address(member)),
                    roster.flaps(member),
                    forecasts.report(member),
                    forecasts.of(member)));
        }
        return all;
    }

    /** How many are in the group, whether they announced themselves or not. */
    public int size() {
        return view.size();
    }

    /**
     * Announces other routes, or that this member drains.
     *
     * @throws IllegalArgumentException when a route is outside this member's grant, or one is there
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
            roster.announced(self, next, Long.MAX_VALUE);
        }
        soon(() -> tell(null, new Message.Announced(next)));
    }

    /** Why this member may not announce these; absent: it may. */
    public @Nullable String fault(List<ServedRoute> routes) {
        Grant grant = grants.own();
        UrlPrefix outside = grant == null ? null : grant.outside(routes);
        return grant == null || outside == null
                ? null
                : outside + " (expected: inside this member's grant, " + grant.prefixes() + ")";
    }

    /** What this member announces now. */
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
            roster.view(now, merged);
            roster.announced(self, own, Long.MAX_VALUE);
        }
        soon(() -> {
            Message announced = new Message.Announced(own());
            if (before.isEmpty() || merged) {
                tell(null, announced);
                return;
            }
            Set<Address> newcomers = new HashSet<>(now);
            before.forEach(newcomers::remove);
            for (Address newcomer : newcomers) {
                tell(newcomer, announced);
            }
        });
    }

    private void hear(Address from, byte[] array, int offset, int length) {
        byte[] bytes = new byte[length];
        System.arraycopy(array, offset, bytes, 0, length);
        MessageCodec.Read read;
        try {
            read = MessageCodec.read(bytes);
        } catch (MalformedMessageException e) {
            events.tell(Kind.MALFORMED, roster.member(from), String.valueOf(e.getMessage()));
            return;
        }
        switch (read.message()) {
            case Message.Announced announced -> {
                Announcement said = announced.announcement();
                Grant grant = proven(read, said.member());
                if (grant != null) {
                    UrlPrefix outside = grant.outside(said.routes());
                    if (outside != null) {
                        refuse(said.member(), "announces " + outside + " outside its grant");
                    } else {
                        roster.announced(from, said, grant.untilMillis());
                    }
                } else if (grants.authority() == null) {
                    roster.announced(from, said, Long.MAX_VALUE);
                }
                MemberId known = roster.member(from);
                if (known != null && forecasts.of(known).delayMicros() == 0) {
                    // How far away a newcomer is must be known before many requests go there.
                    soon(() -> ping(from));
                }
            }
            case Message.Reported reported -> {
                if (isBelieved(read, reported.report().member())
                        && roster.reported(from, reported.report())) {
                    soon(() -> tell(from, new Message.Ask()));
                }
            }
            case Message.Farewell farewell -> {
                if (isBelieved(read, farewell.member())) {
                    roster.farewell(from, farewell.member(), farewell.incarnation());
                }
            }
            case Message.Ask ask -> soon(() -> tell(from, new Message.Announced(own())));
            case Message.Ping ping -> soon(() -> tell(from, new Message.Pong(ping.sentNanos())));
            case Message.Pong pong -> answered(from, pong.sentNanos());
        }
    }

    private void answered(Address from, long sentNanos) {
        if (sentNanos == FAREWELL) {
            CountDownLatch waiting = heard;
            if (waiting != null) {
                waiting.countDown();
            }
            return;
        }
        MemberId member = roster.member(from);
        long micros = (nanoClock.getAsLong() - sentNanos) / 1000;
        if (member != null && micros >= 0 && micros < TimeUnit.MINUTES.toMicros(1)) {
            measured(from, member, micros);
        }
    }

    /**
     * A newcomer's first round trip has handshakes in it, and whoever seems to be a hundred times
     * as far as the others is asked nothing. So it is measured until the way is known, at once.
     */
    private void measured(Address at, MemberId member, long micros) {
        if (!forecasts.measured(member, micros)) {
            soon(() -> ping(at));
        }
    }

    private boolean isBelieved(MessageCodec.Read read, MemberId by) {
        return grants.authority() == null || proven(read, by) != null;
    }

    /**
     * The grant of whoever said this, when there is an authority and all is in order; else absent,
     * and told.
     */
    private @Nullable Grant proven(MessageCodec.Read read, MemberId by) {
        if (grants.authority() == null) {
            return null;
        }
        if (read.grant().isEmpty()) {
            refuse(by, "shows no grant");
            return null;
        }
        try {
            Grant grant = Grant.parse(read.grant());
            String fault =
                    grant.fault(grants.authority(), settings.cluster(), wallMillis.getAsLong());
            if (fault == null && !grant.member().equals(by)) {
                fault = "it shows " + grant.member() + "'s grant";
            }
            if (fault == null && !Grant.verifies(grant.key(), read.signed(), read.signature())) {
                fault = "it is not signed by the grant's owner";
            }
            if (fault == null) {
                return grant;
            }
            refuse(by, "is not believed: " + fault);
        } catch (IllegalArgumentException e) {
            refuse(by, "is not believed: its grant, " + e.getMessage());
        }
        return null;
    }

    private void refuse(MemberId member, String why) {
        events.tell(Kind.REFUSED, member, member + " " + why);
    }

    /** Own thread only. @param to absent: all */
    private void tell(@Nullable Address to, Message message) {
        byte[] body = MessageCodec.body(message);
        PrivateKey key = grants.key();
        Grant grant = grants.own();
        byte[] whole = key == null || grant == null
                ? MessageCodec.message(body, "", new byte[0])
                : MessageCodec.message(body, grant.text(), Grant.sign(key, body));
        try {
            channel.send(new BytesMessage(to, whole));
        } catch (Exception e) {
            // Closed, or that member went meanwhile: whoever misses this asks.
            LOG.debug("Not sent: {}", e.getMessage());
        }
    }

    /** Own thread only. */
    private void ping(Address to) {
        tell(to, new Message.Ping(nanoClock.getAsLong()));
    }

    private void soon(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("Closing: {}", e.getMessage());
        }
    }

    private void tick() {
        try {
            roster.tick();
            report();
            if (ticks++ % TICKS_BETWEEN_PINGS == 0) {
                // The way to oneself is none; not measured would mean: as far as to the others.
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
        for (Announcement announcement : roster.table().announcements()) {
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
            roster.reported(self, next);
            tell(null, new Message.Reported(next));
        }
    }

    /** One significant digit and a half: what trembles more finely is no news. */
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

    /** Leaves: the others hear of it first, so that nobody takes it for a crash. */
    @Override
    public void close() {
        List<Address> others =
                view.stream().filter(member -> !member.equals(self)).toList();
        CountDownLatch waiting = new CountDownLatch(others.size());
        heard = waiting;
        soon(() -> {
            for (Address other : others) {
                // The second follows the first in order: its answer says that both arrived.
                tell(other, new Message.Farewell(settings.member(), incarnation));
                tell(other, new Message.Ping(FAREWELL));
            }
        });
        try {
            if (!waiting.await(FAREWELL_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.debug("Left before {} of {} heard of it", waiting.getCount(), others.size());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.shutdownNow();
        channel.close();
    }
}
