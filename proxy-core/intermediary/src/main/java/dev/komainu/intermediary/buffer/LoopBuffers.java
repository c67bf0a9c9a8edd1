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
    private static final WriteBufferWaterMark DEFAULT_MARKS =
            new WriteBufferWaterMark(32 * 1024, 64 * 1024);

    /** A wait is rounded down to one of these, so that no timer exists for each connection. */
    private static final long[] WAITS_MILLIS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    /**
     * So many looks in vain, and the next longer wait follows: by then two round trips brought
     * nothing.
     */
    private static final int CHECKS_PER_STEP = 8;

    private final ScheduledExecutorService loop;
    private final BufferBudget budget;
    private final TcpInfo info = new TcpInfo();
    private final Set<SendShare> sendShares = new HashSet<>();
    private final IdleReservations idle = new IdleReservations();
    /**
     * Under the equation: of these flows those that are not idle, and some that are gone since the
     * last look.
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

    /** A client's connection that is there, or that speaks otherwise from now on. */
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
            // It is gone; its channel will tell.
        }
    }

    private static void fixShare(ReceiveShare receiveShare) {
        receiveShare.reservation().fix(FIXED_BYTES);
        try {
            receiveShare.applyKernelLimit(FIXED_BYTES);
        } catch (IOException e) {
            // It is gone; its channel will tell.
        }
    }

    /** It is closed. */
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

    /** A client's answer is not read ahead beyond so many bytes, nor beyond its share. */
    public void limitReadAhead(Channel channel, int bytes) {
        SendShare sendShare = channel instanceof ShareLimitedChannel client ? client.sendShare() : null;
        if (sendShare != null) {
            sendShare.limitReadAhead(bytes);
        } else {
            int high = Math.min(bytes, DEFAULT_MARKS.high());
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
        }
    }

    /** An origin's connection that is there; absent when it is not held to a share. */
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

    public void closed(@Nullable ReceiveShare receiveShare) {
        if (receiveShare != null && receiveShares.remove(receiveShare)) {
            receiveShare.reservation().release();
        }
    }

    /**
     * Other settings from now on. Who is held to a share is held by the new rules at once, or let
     * go; who is not remains free to the end of his connection.
     */
    public void apply(BufferSettings next) {
        settings = next;
        // Who is idle is found anew at the next look.
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
            // It is gone; its channel will tell.
        }
        channel.resumeWriting();
    }

    /** What TCP says of it now; valid until the next question. */
    TcpInfo readInfo(Socket socket) throws IOException {
        infoReads++;
        info.read(socket);
        return info;
    }

    /**
     * @param inVain looks in a row that found nothing acknowledged: a peer that stands still is
     *     looked at less and less often
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

    /** It is used again, after a while. */
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
            // It is gone; its channel will tell.
        }
    }
}
