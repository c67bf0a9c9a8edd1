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
 * The shares of one event loop's connections. Under the scheme {@code kernel} there are none, and
 * no socket option is read or set. An idle client is measured only when its share is due to be
 * halved.
 *
 * <p>Only its loop accesses it, except for {@link #loop}.
 */
// A sweep that failed is scheduled again by the next wait.
@SuppressWarnings("FutureReturnValueIgnored")
public final class LoopBuffers implements BufferLoop {

    static final int FIXED_BYTES = 16 * 1024;
    /** The marks of clients' channels, unless a share requires less. */
    private static final WriteBufferWaterMark DEFAULT_MARKS =
            new WriteBufferWaterMark(32 * 1024, 64 * 1024);

    /** A wait is rounded down to one of these, so that no connection needs its own timer. */
    private static final long[] WAITS_MILLIS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    /**
     * After this many checks without an acknowledgement the next longer wait applies: two round
     * trips have passed without one.
     */
    private static final int CHECKS_PER_STEP = 8;

    private final ScheduledExecutorService loop;
    private final BufferBudget budget;
    private final TcpInfo info = new TcpInfo();
    private final Set<SendShare> sendShares = new HashSet<>();
    private final IdleReservations idle = new IdleReservations();
    /**
     * Under the equation: the send shares that are not idle, and some that were closed since the
     * last round.
     */
    private final List<SendShare> inUse = new ArrayList<>();

    private final Set<ReceiveShare> receiveShares = new HashSet<>();
    private final DeadlineList[] waiting = Arrays.stream(WAITS_MILLIS)
            .mapToObj(millis -> new DeadlineList(TimeUnit.MILLISECONDS.toNanos(millis)))
            .toArray(DeadlineList[]::new);
    private final boolean[] isSwept = new boolean[WAITS_MILLIS.length];
    private BufferSettings settings;
    private long waitCount;
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

    /**
     * Adds a client's connection; or, when it is known, replaces its source of upstream reads,
     * because its protocol changed.
     */
    public void attach(Channel channel, UpstreamReads reads) {
        if (settings.scheme() == BufferScheme.KERNEL
                || !(channel instanceof ShareLimitedChannel client)) {
            return;
        }
        SendShare current = client.sendShare();
        if (current != null) {
            current.setReads(reads);
            return;
        }
        SendShare sendShare = new SendShare(client, reads, this, new BufferReservation(budget));
        client.setSendShare(sendShare);
        sendShares.add(sendShare);
        if (settings.scheme() == BufferScheme.FIXED) {
            fixShare(sendShare);
        } else {
            inUse.add(sendShare);
            applyKernelLimit(sendShare);
        }
    }

    private static void fixShare(SendShare sendShare) {
        sendShare.reservation().fix(FIXED_BYTES);
        try {
            sendShare.applyKernelLimit(FIXED_BYTES);
        } catch (IOException e) {
            // The connection has closed; its channel reports it.
        }
    }

    private static void fixShare(ReceiveShare receiveShare) {
        receiveShare.reservation().fix(FIXED_BYTES);
        try {
            receiveShare.applyKernelLimit(FIXED_BYTES);
        } catch (IOException e) {
            // The connection has closed; its channel reports it.
        }
    }

    /** Removes a client's connection that has closed. */
    public void detach(Channel channel) {
        if (channel instanceof ShareLimitedChannel client && client.sendShare() != null) {
            removeShare(client.sendShare());
        }
    }

    private void removeShare(@Nullable SendShare sendShare) {
        if (sendShare != null && sendShares.remove(sendShare)) {
            DeadlineList.remove(sendShare);
            idle.remove(sendShare.reservation());
            sendShare.reservation().release();
            sendShare.channel().setSendShare(null);
        }
    }

    /** Limits the bytes of a client's response that are read ahead, in addition to its share. */
    public void limitReadAhead(Channel channel, int bytes) {
        SendShare sendShare =
                channel instanceof ShareLimitedChannel client ? client.sendShare() : null;
        if (sendShare != null) {
            sendShare.limitReadAhead(bytes);
        } else {
            int high = Math.min(bytes, DEFAULT_MARKS.high());
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
        }
    }

    /** Adds an origin's connection that is established; absent when it has no share. */
    public @Nullable ReceiveShare opened(Channel channel) {
        if (settings.scheme() == BufferScheme.KERNEL || !(channel instanceof UnixChannel origin)) {
            return null;
        }
        ReceiveShare receiveShare =
                new ReceiveShare(origin, new BufferReservation(budget), System.nanoTime());
        receiveShares.add(receiveShare);
        if (settings.scheme() == BufferScheme.FIXED) {
            fixShare(receiveShare);
        } else {
            receiveShare.applyShare();
        }
        return receiveShare;
    }

    /** Releases the share of an origin's connection that has closed; absent: it had none. */
    public void closed(@Nullable ReceiveShare receiveShare) {
        if (receiveShare != null && receiveShares.remove(receiveShare)) {
            receiveShare.reservation().release();
        }
    }

    /**
     * Puts new settings in force. Connections with a share follow the new rules at once, or lose
     * their limit. Connections without a share remain unlimited until they close.
     */
    public void apply(BufferSettings next) {
        settings = next;
        // Idle connections are determined again in the next round.
        sendShares.forEach(sendShare -> idle.remove(sendShare.reservation()));
        inUse.clear();
        if (next.scheme() == BufferScheme.EQUATION) {
            inUse.addAll(sendShares);
        }
        if (next.scheme() == BufferScheme.FIXED) {
            sendShares.forEach(LoopBuffers::fixShare);
            receiveShares.forEach(LoopBuffers::fixShare);
        }
        if (next.scheme() == BufferScheme.KERNEL) {
            for (SendShare sendShare : List.copyOf(sendShares)) {
                removeShare(sendShare);
                release(sendShare.channel());
            }
        }
    }

    private static void release(ShareLimitedChannel channel) {
        channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, DEFAULT_MARKS);
        try {
            KernelSocketBuffers.releaseSend(channel.options());
        } catch (IOException e) {
            // The connection has closed; its channel reports it.
        }
        channel.resumeWriting();
    }

    /** Reads TCP_INFO of a socket; the result is valid until the next call. */
    TcpInfo readInfo(Socket socket) throws IOException {
        infoReads++;
        info.read(socket);
        return info;
    }

    /**
     * Schedules the next check of a connection whose share is used up.
     *
     * @param unchangedChecks checks in a row without an acknowledgement: a peer that does not read
     *     is checked less and less often
     */
    void scheduleRetry(SendShare sendShare, double seconds, int unchangedChecks) {
        waitCount++;
        int index = 0;
        while (index < WAITS_MILLIS.length - 1 && WAITS_MILLIS[index + 1] <= seconds * 1000) {
            index++;
        }
        index = Math.min(WAITS_MILLIS.length - 1, index + unchangedChecks / CHECKS_PER_STEP);
        waiting[index].append(sendShare, System.nanoTime());
        sweepSoon(index);
    }

    private void sweepSoon(int index) {
        if (!isSwept[index]) {
            isSwept[index] = true;
            loop.schedule(() -> sweep(index), WAITS_MILLIS[index], TimeUnit.MILLISECONDS);
        }
    }

    private void sweep(int index) {
        isSwept[index] = false;
        waiting[index].expire(System.nanoTime());
        if (waiting[index].size() > 0) {
            sweepSoon(index);
        }
    }

    /** Notifies that an idle connection is used again. */
    void onWake(SendShare sendShare) {
        idle.remove(sendShare.reservation());
        inUse.add(sendShare);
    }

    @Override
    public Survey survey() {
        long now = System.nanoTime();
        boolean decays = settings.idleDecay().decays();
        List<ReceiveShare> reading = new ArrayList<>();
        long[] demands = new long[inUse.size() + receiveShares.size()];
        int count = 0;
        long idleBytes = 0;
        int idleIntakes = 0;
        for (ReceiveShare receiveShare : receiveShares) {
            if (measure(receiveShare, decays, now)) {
                reading.add(receiveShare);
            } else {
                idleBytes += receiveShare.reservation().shareBytes();
                idleIntakes++;
            }
        }
        idle.nextRound();
        int waitingCount = 0;
        int keptCount = 0;
        List<BufferFigures.FlowFigures> flowFigures = new ArrayList<>();
        for (SendShare sendShare : inUse) {
            if (!sendShares.contains(sendShare)) {
                continue;
            }
            if (measure(sendShare)) {
                inUse.set(keptCount++, sendShare);
                demands[count++] = sendShare.reservation().demandBytes();
                waitingCount += sendShare.isWaiting() ? 1 : 0;
                if (flowFigures.size() < BufferFigures.MAX_FLOWS) {
                    flowFigures.add(figures(sendShare));
                }
            } else {
                idle.add(sendShare.reservation(), decays);
            }
        }
        inUse.subList(keptCount, inUse.size()).clear();
        for (ReceiveShare receiveShare : reading) {
            receiveShare.updateDemand();
            demands[count++] = receiveShare.reservation().demandBytes();
        }
        return new Survey(
                Arrays.copyOf(demands, count),
                idleBytes + idle.bytes(),
                idleIntakes + idle.size(),
                waitingCount,
                waitCount,
                infoReads,
                flowFigures);
    }

    private boolean measure(ReceiveShare receiveShare, boolean decays, long now) {
        try {
            return receiveShare.channel().isOpen() && receiveShare.measure(info, decays, now);
        } catch (IOException e) {
            return false;
        }
    }

    private boolean measure(SendShare sendShare) {
        try {
            return sendShare.channel().isOpen() && sendShare.measure(info);
        } catch (IOException e) {
            return false;
        }
    }

    private static BufferFigures.FlowFigures figures(SendShare sendShare) {
        return new BufferFigures.FlowFigures(
                String.valueOf(sendShare.channel().remoteAddress()),
                Math.round(sendShare.rttSeconds() * 1e6),
                Double.isInfinite(sendShare.rate()) ? -1 : Math.round(sendShare.rate()),
                sendShare.reservation().demandBytes(),
                sendShare.shareBytes(),
                sendShare.boundBytes());
    }

    @Override
    public void shrinkIdle() {
        idle.shrinkAll();
        receiveShares.forEach(receiveShare -> receiveShare.reservation().shrinkIfIdle());
    }

    @Override
    public void setLevel(long bytes) {
        for (SendShare sendShare : inUse) {
            if (sendShares.contains(sendShare)) {
                sendShare.reservation().setLevel(bytes);
                applyKernelLimit(sendShare);
            }
        }
        for (ReceiveShare receiveShare : receiveShares) {
            receiveShare.reservation().setLevel(bytes);
            if (!receiveShare.reservation().isIdle()) {
                receiveShare.applyShare();
            }
        }
    }

    private static void applyKernelLimit(SendShare sendShare) {
        try {
            if (sendShare.channel().isOpen()) {
                sendShare.applyKernelLimit();
            }
        } catch (IOException e) {
            // The connection has closed; its channel reports it.
        }
    }
}
