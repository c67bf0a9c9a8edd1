package dev.komainu.proxy.upstream;

import dev.komainu.proxy.connection.DeadlineList;
import dev.komainu.proxy.tally.LoopTally;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections to origins: the youngest parked one is lent first, so that surplus ones grow old and
 * expire.
 */
public final class OriginPool {

    private static final class Lane {
        final ArrayDeque<OriginConnection> parked = new ArrayDeque<>();
        int open;
    }

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final UpstreamSettings settings;
    private final AddressBook addresses;
    private final LoopTally tally;
    private final Runnable flushed;
    private final Map<Origin, Lane> lanes = new HashMap<>();
    private final DeadlineList awaiting;
    private final DeadlineList parkedList;

    /** @param flushed called when a batch of origin bytes has been told: clients' writes may be flushed */
    public OriginPool(
            EventLoop loop,
            Class<? extends Channel> channelType,
            UpstreamSettings settings,
            AddressBook addresses,
            LoopTally tally,
            Runnable flushed) {
        this.loop = loop;
        this.settings = settings;
        this.addresses = addresses;
        this.tally = tally;
        this.flushed = flushed;
        this.awaiting = new DeadlineList(settings.responseTimeout().toNanos());
        this.parkedList = new DeadlineList(settings.idleTimeout().toNanos());
        this.bootstrap = new Bootstrap()
                .group(loop)
                .channel(channelType)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(settings.connectTimeout().toMillis()));
    }

    /** Finds a connection, parked unless {@code fresh}, and tells {@code events}. */
    public void acquire(Origin origin, boolean fresh, OriginEvents events) {
        Lane lane = lanes.computeIfAbsent(origin, o -> new Lane());
        while (!fresh && !lane.parked.isEmpty()) {
            OriginConnection connection = lane.parked.pop();
            tally.idleOriginConnections--;
            if (connection.isOpen()) {
                connection.lend(events);
                return;
            }
        }
        if (lane.open >= settings.maxOpen()) {
            tally.originFailures++;
            events.failed(new OriginFailure(
                    503,
                    "origin-limit",
                    "No connection to " + origin + " (open=" + lane.open + ", idle=0, limit=" + settings.maxOpen()
                            + ")",
                    true));
            return;
        }
        lane.open++;
        addresses.resolve(origin, loop, (address, refusal) -> {
            if (address == null) {
                abandon(origin, lane);
                events.failed(refusal == null ? unknown(origin) : refusal);
            } else {
                dial(origin, lane, address, events);
            }
        });
    }

    private static OriginFailure unknown(Origin origin) {
        return new OriginFailure(502, "unknown-host", "No address is known for " + origin.host(), true);
    }

    private void dial(Origin origin, Lane lane, InetSocketAddress address, OriginEvents events) {
        ChannelFuture connect = bootstrap
                .clone()
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new OriginConnection(OriginPool.this, origin, channel));
                    }
                })
                .connect(address);
        connect.addListener(done -> {
            if (done.isSuccess()) {
                tally.originConnections++;
                OriginConnection connection = connect.channel().pipeline().get(OriginConnection.class);
                if (connection == null || !connect.channel().isActive()) {
                    events.failed(new OriginFailure(502, "closed-early", "The origin closed at once", true));
                } else {
                    connection.lend(events);
                }
                return;
            }
            abandon(origin, lane);
            events.failed(refused(origin, done.cause()));
        });
    }

    /** Told of a bare connection, or why there is none; exactly one argument is present. */
    @FunctionalInterface
    public interface Dialled {
        void done(@Nullable Channel channel, @Nullable OriginFailure failure);
    }

    /** Opens a connection that is not pooled, for a tunnel; it is not read until told so. */
    public void dialBare(Origin target, Dialled told) {
        addresses.resolve(target, loop, (address, refusal) -> {
            if (address == null) {
                told.done(null, refusal == null ? unknown(target) : refusal);
                return;
            }
            ChannelFuture connect = bootstrap
                    .clone()
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(address);
            connect.addListener(done -> {
                if (done.isSuccess()) {
                    told.done(connect.channel(), null);
                } else {
                    told.done(null, refused(target, done.cause()));
                }
            });
        });
    }

    private OriginFailure refused(Origin origin, @Nullable Throwable cause) {
        return cause instanceof ConnectTimeoutException
                ? new OriginFailure(
                        504,
                        "connect-timeout",
                        "No connection to " + origin + " after "
                                + settings.connectTimeout().toMillis() + " ms",
                        true)
                : new OriginFailure(502, "connect-failed", "No connection to " + origin, true);
    }

    private void abandon(Origin origin, Lane lane) {
        tally.originFailures++;
        lane.open--;
        forgetEmpty(origin, lane);
    }

    /** Forward mode meets any number of origins: a lane without connections is not kept. */
    private void forgetEmpty(Origin origin, Lane lane) {
        if (lane.open == 0 && lane.parked.isEmpty()) {
            lanes.remove(origin, lane);
        }
    }

    void park(OriginConnection connection) {
        Lane lane = lanes.get(connection.origin());
        if (lane == null || lane.parked.size() >= settings.maxIdle()) {
            connection.discard();
            return;
        }
        lane.parked.push(connection);
        tally.idleOriginConnections++;
        parkedList.append(connection.deadline(), System.nanoTime());
    }

    void unpark(OriginConnection connection) {
        Lane lane = lanes.get(connection.origin());
        if (lane != null && lane.parked.remove(connection)) {
            tally.idleOriginConnections--;
        }
    }

    void closed(OriginConnection connection) {
        tally.originConnections--;
        Lane lane = lanes.get(connection.origin());
        if (lane != null) {
            lane.open--;
            forgetEmpty(connection.origin(), lane);
        }
    }

    DeadlineList awaiting() {
        return awaiting;
    }

    LoopTally tally() {
        return tally;
    }

    void flushed() {
        flushed.run();
    }

    /** Looks for connections that waited too long; called by the loop several times a second. */
    public void sweep(long nowNanos) {
        awaiting.expire(nowNanos);
        parkedList.expire(nowNanos);
    }
}
