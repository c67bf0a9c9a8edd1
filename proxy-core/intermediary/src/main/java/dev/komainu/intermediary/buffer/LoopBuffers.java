package dev.komainu.intermediary.buffer;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.TcpInfo;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections under shares. Under the scheme {@code kernel} there are none, and
 * nothing is asked or set. Idle clients are not looked at, but when what they keep is to be halved.
 *
 * <p>Only its loop touches it, but for {@link #loop}.
 */
public final class LoopBuffers implements BufferLoop {

    static final int FIXED_BYTES = 16 * 1024;
    /** As clients' channels have it, unless a share says less. */
    private static final WriteBufferWaterMark USUAL_MARKS =
            new WriteBufferWaterMark(32 * 1024, 64 * 1024);

    /** A wait is rounded down to one of these, so that no timer exists for each connection. */
    private static final long[] WAITS_MILLIS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    /**
     * So many looks in vain, and the next longer wait follows: by then two round trips brought
     * nothing.
     */
    private static final int LOOKS_IN_VAIN = 8;

    private final ScheduledExecutorService loop;
    private final BufferBudget budget;
    private final TcpInfo info = new TcpInfo();
    private final Set<SendShare> flows = new HashSet<>();
    private final IdleReservations idle = new IdleReservations();
    /**
     * Under the equation: of these flows those that are not idle, and some that are gone since the
     * last look.
     */
    private final List<SendShare> inUse = new ArrayList<>();

    private final Set<ReceiveShare> intakes = new HashSet<>();
    private final DeadlineList[] waiting = Arrays.stream(WAITS_MILLIS)
            .mapToObj(millis -> new DeadlineList(TimeUnit.MILLISECONDS.toNanos(millis)))
            .toArray(DeadlineList[]::new);
    private final boolean[] isSwept = new boolean[WAITS_MILLIS.length];
    private BufferSettings settings;
    private long waits;
    private long infoReads;

    public LoopBuffers(ScheduledExecutorService loop, BufferBudget budget) {
        this.loop = loop;
        this.budget = budget;
        this.settings = budget.settings();
    }

    @Override
    public ScheduledExecutorService loop() {
        return loop;
    }

    /** A client's connection that is there, or that speaks otherwise from now on. */
    public void attach(Channel channel, UpstreamReads feed) {
        if (settings.scheme() == BufferScheme.KERNEL
                || !(channel instanceof ShareLimitedChannel client)) {
            return;
        }
        SendShare known = client.sendShare();
        if (known != null) {
            known.fedBy(feed);
            return;
        }
        SendShare flow = new SendShare(client, feed, this, new BufferReservation(budget));
        client.setSendShare(flow);
        flows.add(flow);
        if (settings.scheme() == BufferScheme.FIXED) {
            fix(flow);
        } else {
            inUse.add(flow);
            fence(flow);
        }
    }

    private static void fix(SendShare flow) {
        flow.booking().fix(FIXED_BYTES);
        try {
            flow.fence(FIXED_BYTES);
        } catch (IOException e) {
            // It is gone; its channel will tell.
        }
    }

    private static void fix(ReceiveShare intake) {
        intake.booking().fix(FIXED_BYTES);
        try {
            intake.fence(FIXED_BYTES);
        } catch (IOException e) {
            // It is gone; its channel will tell.
        }
    }

    /** It is closed. */
    public void detach(Channel channel) {
        if (channel instanceof ShareLimitedChannel client && client.sendShare() != null) {
            forget(client.sendShare());
        }
    }

    private void forget(@Nullable SendShare flow) {
        if (flow != null && flows.remove(flow)) {
            DeadlineList.remove(flow);
            idle.ends(flow.booking());
            flow.booking().giveBack();
            flow.channel().setSendShare(null);
        }
    }

    /** A client's answer is not read ahead beyond so many bytes, nor beyond its share. */
    public void limitReadAhead(Channel channel, int bytes) {
        SendShare flow = channel instanceof ShareLimitedChannel client ? client.sendShare() : null;
        if (flow != null) {
            flow.ahead(bytes);
        } else {
            int high = Math.min(bytes, USUAL_MARKS.high());
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
        }
    }

    /** An origin's connection that is there; absent when it is not held to a share. */
    public @Nullable ReceiveShare opened(Channel channel) {
        if (settings.scheme() == BufferScheme.KERNEL || !(channel instanceof UnixChannel origin)) {
            return null;
        }
        ReceiveShare intake =
                new ReceiveShare(origin, new BufferReservation(budget), System.nanoTime());
        intakes.add(intake);
        if (settings.scheme() == BufferScheme.FIXED) {
            fix(intake);
        } else {
            intake.hold();
        }
        return intake;
    }

    public void closed(@Nullable ReceiveShare intake) {
        if (intake != null && intakes.remove(intake)) {
            intake.booking().giveBack();
        }
    }

    /**
     * Other settings from now on. Who is held to a share is held by the new rules at once, or let
     * go; who is not remains free to the end of his connection.
     */
    public void apply(BufferSettings next) {
        settings = next;
        // Who is idle is found anew at the next look.
        flows.forEach(flow -> idle.ends(flow.booking()));
        inUse.clear();
        if (next.scheme() == BufferScheme.EQUATION) {
            inUse.addAll(flows);
        }
        if (next.scheme() == BufferScheme.FIXED) {
            flows.forEach(LoopBuffers::fix);
            intakes.forEach(LoopBuffers::fix);
        }
        if (next.scheme() == BufferScheme.KERNEL) {
            for (SendShare flow : List.copyOf(flows)) {
                forget(flow);
                release(flow.channel());
            }
        }
    }

    private static void release(ShareLimitedChannel channel) {
        channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, USUAL_MARKS);
        try {
            KernelSocketBuffers.release(channel.options());
        } catch (IOException e) {
            // It is gone; its channel will tell.
        }
        channel.resumeWriting();
    }

    /** What TCP says of it now; valid until the next question. */
    TcpInfo ask(Socket of) throws IOException {
        infoReads++;
        info.read(of);
        return info;
    }

    /**
     * @param inVain looks in a row that found nothing acknowledged: a peer that stands still is
     *     looked at less and less often
     */
    void waits(SendShare flow, double seconds, int inVain) {
        waits++;
        int at = 0;
        while (at < WAITS_MILLIS.length - 1 && WAITS_MILLIS[at + 1] <= seconds * 1000) {
            at++;
        }
        at = Math.min(WAITS_MILLIS.length - 1, at + inVain / LOOKS_IN_VAIN);
        waiting[at].append(flow, System.nanoTime());
        sweepSoon(at);
    }

    private void sweepSoon(int at) {
        if (!isSwept[at]) {
            isSwept[at] = true;
            loop.schedule(() -> sweep(at), WAITS_MILLIS[at], TimeUnit.MILLISECONDS);
        }
    }

    private void sweep(int at) {
        isSwept[at] = false;
        waiting[at].expire(System.nanoTime());
        if (waiting[at].size() > 0) {
            sweepSoon(at);
        }
    }

    /** It is used again, after a while. */
    void wakes(SendShare flow) {
        idle.ends(flow.booking());
        inUse.add(flow);
    }

    @Override
    public Survey survey() {
        long now = System.nanoTime();
        boolean decays = settings.idleDecay().decays();
        List<ReceiveShare> reading = new ArrayList<>();
        long[] wants = new long[inUse.size() + intakes.size()];
        int count = 0;
        long idleBytes = 0;
        int idleIntakes = 0;
        for (ReceiveShare intake : intakes) {
            if (looks(intake, decays, now)) {
                reading.add(intake);
            } else {
                idleBytes += intake.booking().shareBytes();
                idleIntakes++;
            }
        }
        idle.decay();
        int held = 0;
        int kept = 0;
        List<BufferFigures.FlowFigures> told = new ArrayList<>();
        for (SendShare flow : inUse) {
            if (!flows.contains(flow)) {
                continue;
            }
            if (looks(flow)) {
                inUse.set(kept++, flow);
                wants[count++] = flow.booking().wantBytes();
                held += flow.isWaiting() ? 1 : 0;
                if (told.size() < BufferFigures.MOST_FLOWS) {
                    told.add(figures(flow));
                }
            } else {
                idle.begins(flow.booking(), decays);
            }
        }
        inUse.subList(kept, inUse.size()).clear();
        for (ReceiveShare intake : reading) {
            intake.want();
            wants[count++] = intake.booking().wantBytes();
        }
        return new Survey(
                Arrays.copyOf(wants, count),
                idleBytes + idle.bytes(),
                idleIntakes + idle.size(),
                held,
                waits,
                infoReads,
                told);
    }

    private boolean looks(ReceiveShare intake, boolean decays, long now) {
        try {
            return intake.channel().isOpen() && intake.look(info, decays, now);
        } catch (IOException e) {
            return false;
        }
    }

    private boolean looks(SendShare flow) {
        try {
            return flow.channel().isOpen() && flow.look(info);
        } catch (IOException e) {
            return false;
        }
    }

    private static BufferFigures.FlowFigures figures(SendShare flow) {
        return new BufferFigures.FlowFigures(
                String.valueOf(flow.channel().remoteAddress()),
                Math.round(flow.rttSeconds() * 1e6),
                Double.isInfinite(flow.rate()) ? -1 : Math.round(flow.rate()),
                flow.booking().wantBytes(),
                flow.shareBytes(),
                flow.boundBytes());
    }

    @Override
    public void press() {
        idle.press();
        intakes.forEach(intake -> intake.booking().press());
    }

    @Override
    public void level(long bytes) {
        for (SendShare flow : inUse) {
            if (flows.contains(flow)) {
                flow.booking().level(bytes);
                fence(flow);
            }
        }
        for (ReceiveShare intake : intakes) {
            intake.booking().level(bytes);
            if (!intake.booking().isIdle()) {
                intake.hold();
            }
        }
    }

    private static void fence(SendShare flow) {
        try {
            if (flow.channel().isOpen()) {
                flow.fence();
            }
        } catch (IOException e) {
            // It is gone; its channel will tell.
        }
    }
}
